"""Make files aside and put them into place whole: synced, then renamed, then the folder synced."""

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import duckdb

from console import ExitCode, StudyError, is_full, no_room


@contextlib.contextmanager
def building_folder(target: Path) -> Iterator[Path]:
    """A folder beside `target`, on the same file system, gone again in the end."""
    folder = target.with_name(f"{target.name}.building-{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _sweep(target)
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
    """Put `new` in the place of `target`; whoever has the old file open keeps it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    _sync(new)
    new.replace(target)
    _sync(target.parent)


def replace_folder(new: Iterable[Path], target: Path) -> None:
    """Put the files into `target` one by one, then remove earlier ones without a successor."""
    files = {file.name: file for file in new}
    for name, file in files.items():
        replace_file(file, target / name)
    for file in target.glob("*.parquet"):
        if file.name not in files:
            file.unlink()


def _sync(path: Path) -> None:
    """Ask the disk to keep a file or the entries of a folder."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sweep(target: Path) -> None:
    """Remove what builds left that were killed; a build that still runs keeps its folder."""
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
