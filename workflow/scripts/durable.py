"""Atomic and durable writing of files."""

import errno
import fcntl
import itertools
import os
from pathlib import Path


def write(
    path: Path,
    content: str | bytes,
    *,
    synced: bool = False,
    mode: int = 0o666,
    replaces: bool = True,
) -> None:
    """Write a file beside its path and rename it: readers see the old or the new one.

    synced: it survives a power failure, and so do new folders above it. mode: its permissions
    before the umask. replaces: else FileExistsError if there is a file.
    """
    above = [*itertools.takewhile(lambda folder: not folder.is_dir(), path.parents)]
    above.append(path.parents[len(above)])
    path.parent.mkdir(parents=True, exist_ok=True)
    # hidden, so that an unfinished record is not taken for a record
    partial = path.with_name(f".{path.name}.partial")
    partial.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
        if synced:
            sync(partial)
        if replaces:
            partial.replace(path)
        else:
            link(partial, path)
    finally:
        partial.unlink(missing_ok=True)
    for folder in above if synced else ():
        sync(folder)


def link(file: Path, path: Path) -> None:
    """Give a file another name on the same disk; FileExistsError if there is a file.

    Without hard links the file loses its old name.
    """
    try:
        # unlike a rename, a link never replaces a file that appeared meanwhile
        os.link(file, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links, such as exFAT
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        file.replace(path)


def sync(path: Path) -> None:
    """Sync a file, or the entries of a folder, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        flush(descriptor)
    finally:
        os.close(descriptor)


def flush(descriptor: int) -> None:
    """Flush an open file as strongly as its file system can (as core/system/src/flush.rs does)."""
    try:
        # after fsync(2) alone, macOS may have it in the drive's cache only
        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    except AttributeError:  # another system
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.ENOTSUP, errno.ENOTTY, errno.EINVAL, errno.ENOSYS):
            raise
        os.fsync(descriptor)
