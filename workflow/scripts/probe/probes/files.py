"""Probes of what stays of files: the space of deleted ones, and the log of changes."""

import os
import time
from pathlib import Path

from probe.bench import Bench

GIGABYTE = 1_000_000_000
PIECE = 10_000_000

# how long to wait for free space, and between two looks, in seconds
FREE_SECONDS = 30
LOOK_SECONDS = 0.1
# other programs write, too
MOST_OF_IT = 0.9


def freeing(bench: Bench) -> None:
    """How soon the free space of the disk includes that of a deleted file."""
    path = bench.folder / "deleted"
    _write(bench, path, GIGABYTE)
    before = _free(path.parent)
    begun = time.monotonic()
    path.unlink()
    freed = 0
    while time.monotonic() - begun < FREE_SECONDS:
        freed = _free(path.parent) - before
        if freed >= MOST_OF_IT * GIGABYTE:
            break
        time.sleep(LOOK_SECONDS)
    took = time.monotonic() - begun
    seen = f"{freed} bytes more are free after {took:.1f} s"
    done = f"delete a file of {GIGABYTE} bytes"
    bench.saw("deleted-space-is-free", done, seen, freed >= MOST_OF_IT * GIGABYTE)


def _write(bench: Bench, path: Path, length: int) -> None:
    bench.written_bytes += length
    with path.open("wb") as file:
        for at in range(0, length, PIECE):
            file.write(os.urandom(min(PIECE, length - at)))
        file.flush()
        os.fsync(file.fileno())


def _free(folder: Path) -> int:
    told = os.statvfs(folder)
    return told.f_bavail * told.f_frsize
