"""Atomic and durable writing of files."""

import os
from pathlib import Path


def write(path: Path, content: str | bytes, *, synced: bool = False, mode: int = 0o666) -> None:
    """Write a file beside its path and rename it: readers see the old or the new one.

    synced: it survives a power failure. mode: its permissions before the umask.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # hidden, so that an unfinished record is not taken for a record
    partial = path.with_name(f".{path.name}.partial")
    partial.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
        if synced:
            sync(partial)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    if synced:
        sync(path.parent)


def sync(path: Path) -> None:
    """Sync a file, or the entries of a folder, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
