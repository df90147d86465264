"""Replaces files atomically: written beside, synced, renamed, then the folder synced."""

import contextlib
import filecmp
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from durable import sync

# more files than this are synced together: one by one would take minutes
MOST_SYNCED = 200


@contextlib.contextmanager
def building_folder(target: Path) -> Iterator[Path]:
    """A temporary folder beside `target`, on the same file system."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix=f"{target.name}.building-", dir=target.parent, ignore_cleanup_errors=True
    ) as folder:
        yield Path(folder)


def replace_file(new: Path, target: Path) -> None:
    """Replace `target` by `new`; readers that have the old file open keep it."""
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
        # first beside its path: `target` may be a link to another disk, to which nothing is renamed
        partial = (target / name).with_suffix(".partial")
        shutil.move(new / name, partial)
        if len(changed) <= MOST_SYNCED:
            sync(partial)
        partial.replace(target / name)
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
    """Remove folders of killed builds.

    The launcher's or Snakemake's lock ensures that only one call builds.
    """
    for folder in target.parent.glob(f"{target.name}.building-*"):
        shutil.rmtree(folder, ignore_errors=True)
