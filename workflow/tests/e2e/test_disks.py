"""A disconnected, full or read-only disk gives one line, and the next call completes.

With file systems in memory that are mounted for it, which takes root on Linux.
"""

import os
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from gate import A_WRITE

from proofs.support.project import LONGEST_SECONDS, Project

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform != "linux" or os.geteuid() != 0,
        reason="only root on Linux may mount: sudo bash workflow/test.sh",
    ),
]

MEGABYTE = 1_000_000

# two cells of the copies' studies: whether the disk is there is asked before each
TWO_CELLS = "protocols=[as-created, remounted]"


@contextmanager
def mounted(folder: Path, *options: str):
    """A file system in memory at `folder`, gone in the end."""
    folder.mkdir(parents=True, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", ",".join(options), "diskbench-test", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        while os.path.ismount(folder):
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def disk(tmp_path):
    """A disk of its own for the files that are measured."""
    with mounted(tmp_path / "disk", "size=800m") as folder:
        yield folder


@pytest.fixture
def data(project):
    """The project's data on a small disk of its own."""
    kept = project.folder / "kept"
    (project.folder / "data").rename(kept)
    with mounted(project.folder / "data", "size=60m") as folder:
        subprocess.run(["cp", "-a", f"{kept}/.", str(folder)], check=True)
        yield folder


def on(folder: Path) -> list[str]:
    """The study measured in this folder."""
    return ["--config", f"storage=[{{slug: internal, folder: {folder}}}]"]


def forget(project: Project, word: str) -> Path:
    [path] = [path for path in project.records() if word in str(path)]
    path.unlink()
    return path


def fill(folder: Path, leaving: int = 0) -> Path:
    """Take everything that is free on a disk, but for this many bytes."""
    filler = folder / "filler"
    with filler.open("wb") as file:
        for share in (100, 95, 90, 80, 60, 40, 20):
            space = os.statvfs(folder)
            wanted = space.f_bavail * space.f_frsize * share // 100 - leaving
            # others may be writing at the same time
            with suppress(OSError):
                os.posix_fallocate(file.fileno(), 0, max(wanted, 4096))
                break
        file.seek(0, os.SEEK_END)
        with suppress(OSError):
            while not leaving:
                os.write(file.fileno(), bytes(4096))
    return filler


def told(errors: str) -> list[str]:
    assert "Traceback" not in errors, errors
    return [line for line in errors.splitlines() if line.startswith("diskbench: ")]


def completes(project: Project, *arguments: str, cells: int = 5) -> None:
    done = project.run("database", *arguments)
    assert done.returncode == 0, done.stderr
    assert len(project.records()) == cells
    assert project.query("select count(*) from cell where status = 'measured'") == [(cells,)]


def test_a_disk_that_is_pulled_away_ends_the_study_and_nothing_is_written_elsewhere(
    project, disk, gate
):
    for path in project.records():
        path.unlink()
    writing = gate("pwrite", A_WRITE, disk)
    study = project.start("database", *on(disk), TWO_CELLS, **writing.environment)
    with writing.reached(study):
        subprocess.run(["umount", "--lazy", str(disk)], check=True)
    _, errors = study.communicate(timeout=LONGEST_SECONDS)
    assert study.returncode == 4, errors
    assert "was disconnected, or another one is mounted at" in told(errors)[-1]
    # what lies below where it was mounted is another disk
    assert list(disk.iterdir()) == []
    with mounted(disk, "size=800m"):
        completes(project, *on(disk), TWO_CELLS, "retry=[failed]", cells=2)


def test_a_record_that_finds_no_room_is_refused_and_its_cell_measured_again(project, data, gate):
    missing = forget(project, "remounted")
    before = project.contents()
    writing = gate("pwrite", A_WRITE, project.folder / ".diskbench" / "work")
    study = project.start("database", **writing.environment)
    with writing.reached(study):
        filler = fill(data)
    _, errors = study.communicate(timeout=LONGEST_SECONDS)
    assert study.returncode == 3, errors
    [line] = [line for line in told(errors) if "the disk is full" in line]
    assert "free some space and run again" in line
    assert not missing.exists()
    assert project.contents() == before
    filler.unlink()
    completes(project)


def test_a_database_that_finds_no_room_leaves_the_one_of_before(project, data):
    database = data / "diskbench.duckdb"
    before = database.read_bytes()
    (project.folder / ".diskbench" / "made" / "database").unlink()
    for leaving in (0, 2 * MEGABYTE):
        filler = fill(data, leaving)
        done = project.run("database")
        assert done.returncode == 3, done.stderr
        [line] = told(done.stderr)
        assert "the disk is full" in line
        assert database.read_bytes() == before
        assert list(data.glob("*.building-*")) == []
        filler.unlink()
    completes(project)


def test_a_project_on_a_full_disk_says_so_and_loses_nothing(measured, tmp_path):
    with mounted(tmp_path / "disk", "size=200m") as disk:
        project = measured.copy(disk / "project")
        before = project.contents()
        (project.folder / ".diskbench" / "made" / "database").unlink()
        filler = fill(disk)
        done = project.run("database")
        assert done.returncode == 3, done.stderr
        assert "the disk is full" in told(done.stderr)[-1]
        assert project.contents() == before
        filler.unlink()
        completes(project)
