"""What only looks changes nothing: no record, no database, no page, whatever its config says."""

import os
import subprocess
import sys
from itertools import cycle
from pathlib import Path

import pytest
from tree import tree

from console import ExitCode

CHANGES = {
    "nothing": [],
    "io": ["io={block_bytes: 65536, cache: none, durability: fsync}"],
    "seed": ["seed=7"],
    "scale": ["scale=tenth"],
    "study": ["study=encryption-2026", "seed=7"],
    "matrix": ["matrix=[{driver: portable, formats: [UDSB], encryptions: [none]}]"],
    "retry": ["retry=[failed, skipped]"],
}


# What Snakemake is asked for, and whether it can do that in any project.
SHOWING = {
    "-nF": True,
    "-nq": True,
    "-npq": True,
    "--executor dryrun": True,
    "--list": True,
    "--list-target-rules": True,
    "--list-changes code": True,
    "--list-changes params": True,
    "--list-untracked": True,
    "--summary": True,
    "-D": True,
    "--dag": True,
    "--rulegraph": True,
    "--filegraph": True,
    "--d3dag": True,
    "--lint": True,
    # what a study of other cells makes is not there yet
    "--report tmp/report.html": False,
}
# Each call takes seconds: one change for each, in turn, and three of them without the slow ones.
ASKED = list(zip(SHOWING, cycle(change for change in CHANGES if change != "nothing")))
FEW = ("-nF", "--list-changes code", "--rulegraph")


@pytest.fixture(scope="module")
def looked_at(small, tmp_path_factory):
    """A project with all that a study makes, then killed: the next call that measures would clean up."""
    project = small.copy(tmp_path_factory.mktemp("looked") / "project")
    (project.folder / ".diskbench" / "running").touch()
    (project.folder / ".snakemake" / "backups" / "data" / "parquet").mkdir(parents=True)
    for product in ("data/parquet", "reports/_site"):
        (project.folder / product / "not-as-it-was-made").touch()
    return project


def look(project, *command):
    before = tree(project.folder)
    assert len([name for name in before if name.startswith("data/runs/")]) > 5
    done = subprocess.run(
        command,
        cwd=project.folder,
        env=project.environment()
        | {
            "PYTHONDONTWRITEBYTECODE": "1",
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
    )
    after = tree(project.folder)
    differing = {name for name in before.keys() | after if before.get(name) != after.get(name)}
    assert differing == set()
    return done


@pytest.mark.parametrize("change", CHANGES)
def test_a_plan_changes_nothing_and_tells_of_older_records(looked_at, change):
    config = ["--config", *CHANGES[change]] if CHANGES[change] else []
    done = look(looked_at, "bash", "workflow/run.sh", "plan", *config)
    assert done.returncode == 0, done.stderr
    older = "an older record: it stays until the new one is written" in done.stderr
    assert older == (change in ("io", "seed", "study"))
    # the study before it was killed: that is left to the next one which measures
    assert "cut short" not in done.stderr


@pytest.mark.parametrize(
    ("asked", "change"),
    [
        pytest.param(asked, change, marks=[] if asked in FEW else pytest.mark.slow)
        for asked, change in ASKED
    ],
)
def test_what_snakemake_is_asked_to_show_changes_nothing(looked_at, asked, change):
    done = look(looked_at, "bash", "workflow/run.sh", *asked.split(), "--config", *CHANGES[change])
    assert done.returncode == 0 or not SHOWING[asked], done.stderr


def test_a_report_of_snakemake_is_made_and_changes_nothing(looked_at):
    report = looked_at.folder / "tmp" / "report.html"
    done = look(looked_at, "bash", "workflow/run.sh", "--report", "tmp/report.html")
    assert done.returncode == 0, done.stderr
    assert "summary.txt" in report.read_text(encoding="utf-8")


@pytest.mark.parametrize("change", CHANGES)
def test_what_snakemake_would_do_changes_nothing(looked_at, change):
    config = ["--config", *CHANGES[change]] if CHANGES[change] else []
    done = look(looked_at, "bash", "workflow/run.sh", "-n", *config)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("target", [["plan"], ["-n"]])
def test_plain_snakemake_changes_nothing_either(looked_at, target):
    snakemake = [sys.executable, "-m", "snakemake", "--cores", "1", *target]
    done = look(looked_at, *snakemake, "--config", *CHANGES["io"])
    assert done.returncode == 0, done.stderr


def test_looking_at_records_changes_nothing(looked_at):
    host = looked_at.records()[0].relative_to(looked_at.folder).parts[2]
    checked = look(looked_at, "bash", "workflow/run.sh", "check-contribution", f"data/runs/{host}")
    # records of smoke scale are not taken in
    assert checked.returncode == ExitCode.DAMAGED_RECORD, checked.stderr
    verified = look(looked_at, "core/target/release/diskbench", "verify", "data/runs")
    assert verified.returncode == 0, verified.stderr
