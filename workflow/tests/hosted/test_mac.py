"""The measurements of mac.yml fit on each Mac, and their results are in the artifacts."""

import subprocess

import pytest
import workflows
from stand_in import StandInMac

from record import RUNS

# The release behind each label (actions/runner-images, README.md and #14404).
RELEASES = {"macos-15": "15", "macos-26": "26", "xcode-27": "27"}
# Of the 14 GB that a runner is said to have; the rest is for the environment, the core and the probe.
LARGEST_PEAK_GB = 12
JOBS = [one for one in workflows.jobs() if one.workflow == "mac"]


def test_every_label_is_a_release_that_the_stand_in_imitates():
    assert {job.matrix["runner"] for job in JOBS} == set(RELEASES)


def test_what_is_kept_is_what_the_steps_leave():
    [kept] = workflows.artifacts("mac", "mac", "actions/upload-artifact")
    [probe] = [step["run"] for step in JOBS[0].steps if " probe " in step.get("run", "")]
    _, _, images = probe.partition("--keep-images ")
    assert kept["path"].split() == [
        ".diskbench/probes",
        f"{RUNS}/*/*/*-smoke",
        images,
        ".diskbench/logs",
    ]
    assert kept["include-hidden-files"] is True
    assert kept["if-no-files-found"] == "error"


@pytest.mark.parametrize("job", JOBS, ids=str)
def test_the_plan_fits_on_the_disk_of_a_runner(job, checked_out, target, tmp_path):
    """By the plan's own words, of the very study that the job measures."""
    machine = StandInMac(
        tmp_path / "mac", target, RELEASES[job.matrix["runner"]], ["--mac", "guest"]
    )
    environment = checked_out.environment() | machine.environment()
    (step,) = [one["run"] for one in job.steps if "--config" in one.get("run", "")]
    planned = step.replace("run.sh ", "run.sh plan ")
    assert planned != step
    done = subprocess.run(
        ["bash", "-c", planned],
        cwd=checked_out.folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("free space")]
    peak_gb = float(line.split()[2])
    assert line.split()[3:5] == ["GB", "needed"]
    assert 0 < peak_gb < LARGEST_PEAK_GB
