"""Read-only commands change no record, database or page. Options: study/test_options.py."""

import base64
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tree import tree

from console import ExitCode

# every cell of such a study is another one than the record in its place
ANOTHER = ("--config", "io={block_bytes: 65536, cache: none, durability: fsync}")


@pytest.fixture(scope="module")
def looked_at(small, tmp_path_factory):
    """A project with all products of a study that was killed: the next measuring call would clean up."""
    project = small.copy(tmp_path_factory.mktemp("looked") / "project")
    (project.folder / ".diskbench" / "running").touch()
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


def test_a_plan_changes_nothing_and_mentions_older_records(looked_at):
    done = look(looked_at, "bash", "workflow/run.sh", "plan", *ANOTHER)
    assert done.returncode == 0, done.stderr
    assert "an older record: it stays until the new one is written" in done.stderr
    # the study before it was killed: that is left to the next one which measures
    assert "was killed" not in done.stderr


def test_a_dry_run_lists_the_cells_and_changes_nothing(looked_at):
    done = look(looked_at, "bash", "workflow/run.sh", "-nF", *ANOTHER)
    assert done.returncode == 0, done.stderr
    measured = r"made/measured/\S+/([\w-]+)-smoke/\S+/([\w-]+)"
    assert set(re.findall(measured, done.stdout + done.stderr)) == {
        ("as-created", "fresh"),
        ("remounted", "fresh"),
        ("usage-phases", "fresh"),
        ("usage-phases", "partly-filled"),
        ("usage-phases", "emptied"),
    }


def test_a_report_of_snakemake_has_the_summary_and_changes_nothing(looked_at):
    snakemake = [sys.executable, "-m", "snakemake", "--report", "tmp/report.html"]
    done = look(looked_at, *snakemake)
    assert done.returncode == 0, done.stderr
    report = (looked_at.folder / "tmp" / "report.html").read_text(encoding="utf-8")
    assert "What became of every cell of the study." in report
    assert base64.b64encode(b"5 of 5 cells measured, 0 skipped, 0 failed").decode()[:-4] in report


def test_looking_at_records_changes_nothing(looked_at):
    host = looked_at.records()[0].relative_to(looked_at.folder).parts[2]
    checked = look(looked_at, "bash", "workflow/run.sh", "check-contribution", f"data/runs/{host}")
    # records of smoke scale are not taken in
    assert checked.returncode == ExitCode.DAMAGED_RECORD, checked.stderr
    verified = look(looked_at, "core/target/release/diskbench", "verify", "data/runs")
    assert verified.returncode == 0, verified.stderr
