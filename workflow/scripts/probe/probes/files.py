"""Probes of what stays of files: the space of deleted ones, and the log of changes."""

import os
import time
from pathlib import Path

from probe.bench import Bench, allocated

GIGABYTE = 1_000_000_000
PIECE = 10_000_000

# images with space for everything that is written to them, used once or twice
REWRITTEN = (("hdiutil", "UDRW"), ("hdiutil", "UDSB"), ("diskutil", "ASIF"))
REWRITTEN_LENGTH = 200 << 20
FILES = 20
FILE_BYTES = 5_000_000
# of the bytes of the files; without reuse an image takes 1.8 times as many, and an empty one some
# ten megabytes
MOST_TAKEN = 1.5

# fseventsd writes some seconds after a change
LOG_SECONDS = 5

# how long to wait for free space, and between two looks, in seconds
FREE_SECONDS = 30
LOOK_SECONDS = 0.1
# other programs write, too
MOST_OF_IT = 0.9


def rewriting(bench: Bench) -> None:
    """What an image takes whose files are deleted and written again."""
    for tool, kind in REWRITTEN:
        if kind == "ASIF" and not bench.is_about("diskutil-creates-asif"):
            continue
        image, answer = bench.create(
            tool, kind, name=f"rewritten-{kind.lower()}", length=REWRITTEN_LENGTH, keep=False
        )
        if not answer.is_good:
            bench.cannot("deleted-space-is-reused", answer.message)
            continue
        for when in ("", "after a remount"):
            with bench.attached(image, tool) as (_, attached):
                if attached is None:
                    bench.cannot("deleted-space-is-reused", f"{kind} could not be attached")
                    break
                paths = [attached.at / str(number) for number in range(FILES)]
                for path in () if when else paths:
                    _write(bench, path, FILE_BYTES)
                again = paths[: FILES * 4 // 5]
                for path in again:
                    path.unlink()
                for path in again:
                    _write(bench, path, FILE_BYTES)
                live = sum(path.stat().st_size for path in paths)
            taken = allocated(image.path)
            done = f"delete and rewrite 80 % of the files of a {kind} {when}".strip()
            seen = f"{taken} bytes for {live} of files"
            bench.saw("deleted-space-is-reused", done, seen, taken < MOST_TAKEN * live)


def event_log(bench: Bench) -> None:
    """Whether a volume's log of changes grows that its first mount has turned off."""
    image = bench.made("hdiutil", "UDSP")
    for when in ("in the first mount", "after a remount"):
        with bench.mounted(image) as attached:
            log = attached.at / ".fseventsd"
            if when == "in the first mount":
                log.mkdir(exist_ok=True)
                (log / "no_log").touch()
            before = _entries(log)
            for number in range(FILES):
                _write(bench, attached.at / f"logged-{number}", 1)
            time.sleep(LOG_SECONDS)
            after = _entries(log)
        seen = f"{before} before, {after} after"
        done = f"write {FILES} files {when} of a volume with .fseventsd/no_log"
        bench.saw("no-log-keeps-the-log-empty", done, seen, before == after)


def _entries(folder: Path) -> str:
    """Number and bytes of a folder's files."""
    found = [path.stat().st_size for path in folder.iterdir()]
    return f"{len(found)} files of {sum(found)} bytes"


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
