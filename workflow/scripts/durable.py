"""Files that are there whole or not at all, and what is still there after a power failure."""

import os
from pathlib import Path


def write(path: Path, content: str | bytes, *, synced: bool = False, mode: int = 0o666) -> None:
    """Write a file beside its place and move it there: a reader sees the old one or the new one.

    synced: it survives a power failure. mode: its permissions, of which the umask takes some away.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # hidden: a record's copy is no record
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
    """Ask the disk to keep a file, or the entries of a folder."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
