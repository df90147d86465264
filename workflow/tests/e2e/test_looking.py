"""What only looks changes nothing: no record, no database, no page, whatever its config says."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

# What may change: the launcher's lock, the exit code of the last call and the plan that was shown; logs; and
# Snakemake's own log of each call, its locks, and what it notes of a dry run about times of files. Python's caches are not written (PYTHONDONTWRITEBYTECODE), and temporary files go
# to the copy's `tmp`. Everything else is held: names, contents, links, and whether it is a file or a folder.
MAY_CHANGE = (
    ".diskbench/logs/",
    ".diskbench/study.lock",
    ".diskbench/exit-code",
    ".diskbench/shown-plan.json",
    ".snakemake/log/",
    ".snakemake/iocache/",
    ".snakemake/locks/",
    "tmp/",
)

CHANGES = {
    "nothing": [],
    "io": ["io={block_bytes: 65536, cache: none, durability: fsync}"],
    "seed": ["seed=7"],
    "scale": ["scale=tenth"],
    "study": ["study=encryption-2026", "seed=7"],
    "matrix": ["matrix=[{driver: portable, formats: [UDSB], encryptions: [none]}]"],
    "retry": ["retry=[failed, skipped]"],
}


def tree(project):
    """Each name below the project with a word for what it is; what links lead to is not followed."""
    found = {}
    for folder, folders, files in os.walk(project.folder):
        for name in (*folders, *files):
            path = Path(folder) / name
            relative = path.relative_to(project.folder).as_posix()
            if f"{relative}/".startswith(MAY_CHANGE) or relative in MAY_CHANGE:
                continue
            if path.is_symlink():
                found[relative] = str(path.readlink())
            elif path.is_file():
                found[relative] = hashlib.sha256(path.read_bytes()).hexdigest()
            else:
                found[relative] = "folder"
    return found


@pytest.fixture(scope="module")
def looked_at(measured, tmp_path_factory):
    """A measured project; in it the core is built, and Snakemake was called."""
    return measured.copy(tmp_path_factory.mktemp("looked") / "project")


def look(project, *command):
    before = tree(project)
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
    after = tree(project)
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


@pytest.mark.parametrize("change", ["io", "matrix"])
@pytest.mark.parametrize(
    "option",
    [["-n"], ["--dry-run"], ["--dag"], ["--summary"], ["--list"], ["--report", "tmp/x.html"]],
)
def test_what_snakemake_is_asked_to_show_changes_nothing(looked_at, option, change):
    look(looked_at, "bash", "workflow/run.sh", *option, "--config", *CHANGES[change])


@pytest.mark.parametrize("target", [["plan"], ["-n"]])
def test_plain_snakemake_changes_nothing_either(looked_at, target):
    snakemake = [sys.executable, "-m", "snakemake", "--cores", "1", *target]
    done = look(looked_at, *snakemake, "--config", *CHANGES["io"])
    assert done.returncode == 0, done.stderr


def test_looking_at_records_changes_nothing(looked_at):
    host = looked_at.records()[0].relative_to(looked_at.folder).parts[2]
    look(looked_at, "bash", "workflow/run.sh", "check-contribution", f"data/runs/{host}")
    look(looked_at, "core/target/release/diskbench", "verify", "data/runs")


def test_a_study_that_was_killed_is_left_to_the_next_one_that_measures(looked_at, tmp_path):
    project = looked_at.copy(tmp_path / "project")
    (project.folder / ".diskbench" / "running").touch()
    done = look(project, "bash", "workflow/run.sh", "plan")
    assert done.returncode == 0
    assert "cut short" not in done.stderr
