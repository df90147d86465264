"""The cached share of a file, and its eviction, as in the core (core/system/src/cache.rs)."""

import ctypes
import ctypes.util
import mmap
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# sys/mman.h of xnu and of Linux
MS_INVALIDATE = 2
IN_CORE = 1


def resident_share(path: Path) -> float:
    """The share of the allocated pages of a file, or of a folder's files, that are in memory.

    OSError if the system does not report it.
    """
    files = [path, *path.rglob("*")] if path.is_dir() else [path]
    # an empty file cannot be mapped
    files = [one for one in files if one.is_file() and one.stat().st_size]
    taken = sum(one.stat().st_blocks for one in files) * 512 // mmap.PAGESIZE
    return min(1.0, sum(map(_resident_pages, files)) / max(1, taken))


def _resident_pages(path: Path) -> int:
    with _mapped(path) as (library, address, length):
        pages = (ctypes.c_ubyte * -(-length // mmap.PAGESIZE))()
        _check(library.mincore(ctypes.c_void_p(address), ctypes.c_size_t(length), pages))
        return sum(page & IN_CORE for page in pages)


def drop(path: Path) -> None:
    """Flush a file and evict it from memory."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
        if sys.platform == "linux":
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)
    if sys.platform != "linux":
        with _mapped(path) as (library, address, length):
            _check(library.msync(ctypes.c_void_p(address), ctypes.c_size_t(length), MS_INVALIDATE))


@contextmanager
def _mapped(path: Path) -> Iterator[tuple[ctypes.CDLL, int, int]]:
    """The C library, and where a file is mapped: address and length. No page is touched."""
    library = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True)
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        first = ctypes.c_char.from_buffer(mapped)
        try:
            yield library, ctypes.addressof(first), len(mapped)
        finally:
            # what refers to a mapping keeps it from being closed
            del first


def _check(failed: int) -> None:
    if failed:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
