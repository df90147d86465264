"""What only looks changes nothing: no record, no database, no page, whatever its config says."""

import os
import subprocess
import sys
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


@pytest.fixture(scope="module")
def looked_at(measured, tmp_path_factory):
    """A measured project; in it the core is built, and Snakemake was called."""
    return measured.copy(tmp_path_factory.mktemp("looked") / "project")


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


@pytest.mark.slow
@pytest.mark.parametrize("change", ["io", "matrix"])
@pytest.mark.parametrize(
    "option", [["--dry-run"], ["--dag"], ["--summary"], ["--list"], ["--report", "tmp/x.html"]]
)
def test_what_snakemake_is_asked_to_show_changes_nothing(looked_at, option, change):
    done = look(looked_at, "bash", "workflow/run.sh", *option, "--config", *CHANGES[change])
    # there is no report before a whole study has made its summary
    assert done.returncode == 0 or "summary.txt marked for report but" in done.stderr, done.stderr


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


def test_a_study_that_was_killed_is_left_to_the_next_one_that_measures(looked_at, tmp_path):
    project = looked_at.copy(tmp_path / "project")
    (project.folder / ".diskbench" / "running").touch()
    done = look(project, "bash", "workflow/run.sh", "plan")
    assert done.returncode == 0
    assert "cut short" not in done.stderr
