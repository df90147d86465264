"""The jobs of mac.yml on a Mac that does not exist: what they measure, and what can be downloaded afterwards."""

import json
import shutil
import subprocess
import tarfile
from dataclasses import replace

import played
import pytest

from proofs.support.stand_in import StandInMac

# The release behind each label (actions/runner-images, README.md and #14404).
RELEASES = {"macos-15": "15", "macos-26": "26", "xcode-27": "27"}
WITHOUT_ASIF = ("15",)
# A fifth of what GitHub's free plan stores of artifacts and packages together: 500 MB.
LARGEST_ARTIFACT_BYTES = 100_000_000
# Of the 14 GB that a runner is said to have; the rest is for the environment, the core and the probe.
LARGEST_PEAK_GB = 12
JOBS = [one for one in played.jobs() if one.workflow == "mac"]


def test_every_label_is_a_release_that_the_stand_in_plays():
    assert {job.matrix["runner"] for job in JOBS} == set(RELEASES)


@pytest.fixture
def mac(checked_out, target, tmp_path):
    """Makes a hosted Mac of a release: a virtual machine."""

    def make(release: str) -> played.Runner:
        machine = StandInMac(tmp_path / "mac", target, release, ["--mac", "guest"])
        environment = checked_out.environment() | machine.environment()
        environment["PATH"] = f"{machine.programs}:{environment['PATH']}"
        runner = played.Runner(checked_out, tmp_path / "runner", environment)
        runner.machine = machine
        return runner

    return make


@pytest.mark.slow
@pytest.mark.parametrize("job", JOBS, ids=str)
def test_everything_is_measured_and_can_be_downloaded(job, mac):
    release = RELEASES[job.matrix["runner"]]
    runner = mac(release)
    runner.play(job)
    assert runner.calls() == []  # a Mac needs no double but the stand-in
    assert runner.machine.attached() == []

    artifact = runner.artifacts / job.matrix["runner"]
    files = [path for path in artifact.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < LARGEST_ARTIFACT_BYTES

    (report,) = artifact.glob(".diskbench/probes/*/probe.json")
    assert json.loads(report.read_text())["os"]["version"].split(".")[0] == release

    # unpacked in a clone, the records lie where records belong
    records = [json.loads(path.read_text()) for path in (artifact / "data/runs").rglob("*.json")]
    cells = {(r["cell"]["protocol"], r["cell"]["format"], r["cell"]["encryption"]) for r in records}
    images = {("UDRW", "none"), ("UDRW", "AES-256"), ("UDSB", "none"), ("UDSB", "AES-256")}
    others = {("UDSP", "AES-256"), ("native", "none")}
    asif = {("ASIF", "none"), ("ASIF", "AES-256")}
    assert {cell[1:] for cell in cells if cell[0] == "usage-phases"} == images | others | asif
    assert {cell[1:] for cell in cells if cell[0] == "remounted"} == images | others | {
        ("UDSP", "none")
    }
    for record in records:
        lacks = release in WITHOUT_ASIF and record["cell"]["format"] == "ASIF"
        assert record["status"] == ("skipped" if lacks else "measured"), record["reason"]
        assert record["cell"]["scale"] == "smoke"
        assert record["cell"]["driver"] == (
            "native" if record["cell"]["format"] == "native" else "apple"
        )
        assert record["host"]["os"]["version"].split(".")[0] == release
    checked = subprocess.run(
        [runner.machine.target / "diskbench", "verify", artifact / "data" / "runs"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"{len(records)} records checked, 0 damaged" in checked.stdout

    # one small image of each, which can be unpacked
    made = {path.name.removesuffix(".tar.gz") for path in artifact.glob("hosted/images/*.tar.gz")}
    expected = {
        f"{fmt}-{encryption}"
        for fmt in ("UDRW", "UDSP", "UDSB")
        for encryption in ("none", "AES-128", "AES-256")
    }
    if release not in WITHOUT_ASIF:
        expected |= {"ASIF-none", "ASIF-AES-256"}
    assert made == expected
    for path in artifact.glob("hosted/images/*.tar.gz"):
        with tarfile.open(path) as packed:
            assert packed.getnames()[0].partition(".")[0] == path.name.removesuffix(".tar.gz")
    said = (artifact / "hosted/images/images.txt").read_text().splitlines()
    assert {line.partition(": made and read, ")[0] for line in said} == expected
    assert all(": made and read, " in line for line in said)
    # why, where something fails
    assert (artifact / ".diskbench" / "logs" / "study.log").is_file()


@pytest.mark.slow
def test_what_fails_is_named_and_all_that_came_out_is_kept(job, mac):
    found = job("mac", "mac", runner="macos-26")
    (probe, study, _) = [step for step in found.steps if "if" in step or "run" in step]
    runner = mac("26")
    failing = {"name": "a probe", "run": "mkdir -p hosted/images .diskbench/probes; exit 3"}
    nothing = study | {
        "run": "mkdir -p data/runs/a/b/c-smoke .diskbench/logs; touch data/runs/a/b/c-smoke/d"
    }
    replaced = {id(probe): failing, id(study): nothing}
    steps = [replaced.get(id(step), step) for step in found.steps]
    with pytest.raises(AssertionError, match="a probe: 3"):
        runner.play(replace(found, steps=steps))
    assert (runner.artifacts / "macos-26" / "data/runs/a/b/c-smoke/d").is_file()


@pytest.mark.parametrize("job", JOBS, ids=str)
def test_the_plan_fits_on_the_disk_of_a_runner(job, mac):
    """By the plan's own words, of the very study that the job measures, in files as large as a runner writes."""
    runner = mac(RELEASES[job.matrix["runner"]])
    shutil.copy(
        played.PROJECT / "workflow/scripts/study/scales.py",
        runner.project.folder / "workflow/scripts/study/scales.py",
    )
    (step,) = [one["run"] for one in job.steps if "--config" in one.get("run", "")]
    planned = step.replace("run.sh ", "run.sh plan ")
    assert planned != step
    done = subprocess.run(
        ["bash", "-c", planned],
        cwd=runner.project.folder,
        env=runner.environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("free space")]
    peak_gb = float(line.split()[2])
    assert line.split()[3:5] == ["GB", "needed"]
    assert 0 < peak_gb < LARGEST_PEAK_GB
