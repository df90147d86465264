"""Replaces files atomically: written beside, synced, renamed, then the folder synced."""

import contextlib
import filecmp
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import duckdb

from console import ExitCode, StudyError, is_full, no_room
from durable import sync

# more files than this are synced together: one by one would take minutes
MOST_SYNCED = 200


@contextlib.contextmanager
def building_folder(target: Path) -> Iterator[Path]:
    """A temporary folder beside `target`, on the same file system."""
    folder = target.with_name(f"{target.name}.building-{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir()
    except OSError as error:
        if is_full(error):
            raise no_room(target.parent) from error
        raise StudyError(
            ExitCode.FOLDER_UNUSABLE,
            f"cannot write in {target.parent} ({error.strerror}); make the folder writable",
        ) from error
    try:
        yield folder
    except (OSError, duckdb.Error) as error:
        if is_full(error):
            raise no_room(target.parent) from error
        if isinstance(error, duckdb.Error):
            raise
        raise StudyError(
            ExitCode.FOLDER_UNUSABLE,
            f"could not write {target} ({error.strerror}); the old one, if any, was left as it is",
        ) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def replace_file(new: Path, target: Path) -> None:
    """Replace `target` by `new`; readers that have the old file open keep it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    sync(new)
    new.replace(target)
    sync(target.parent)


def replace_files(new: Path, target: Path, kept: Iterable[str]) -> None:
    """Move the files below `new` to their paths below `target`, one by one; equal ones stay.

    Then all others are deleted, except those to keep.
    """
    names = {str(file.relative_to(new)) for file in new.rglob("*.parquet")}
    changed = [name for name in sorted(names) if not _same(new / name, target / name)]
    for name in changed:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        if len(changed) <= MOST_SYNCED:
            sync(new / name)
        (new / name).replace(target / name)
    there = {str(file.relative_to(target)) for file in target.rglob("*.parquet")}
    for name in there - names - {*kept}:
        (target / name).unlink()
        _remove_empty((target / name).parent, target)
    if len(changed) > MOST_SYNCED:
        os.sync()
    else:
        for folder in {(target / name).parent for name in changed}:
            sync(folder)


def _same(one: Path, other: Path) -> bool:
    return other.is_file() and filecmp.cmp(one, other, shallow=False)


def _remove_empty(folder: Path, last: Path) -> None:
    with contextlib.suppress(OSError):
        while folder != last:
            folder.rmdir()
            folder = folder.parent


def sweep(target: Path) -> None:
    """Remove folders of killed builds, but not that of a running build."""
    for folder in target.parent.glob(f"{target.name}.building-*"):
        pid = folder.name.rpartition("-")[2]
        if pid.isdigit() and not _is_running(int(pid)):
            shutil.rmtree(folder, ignore_errors=True)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return pid != os.getpid()
