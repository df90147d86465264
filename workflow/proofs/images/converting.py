"""Compares the time of `image convert` with programs of others.

A disk of 4 GiB that is half full, to each format and back, beside the better of qemu-img's raw and
qcow2. A compressed image as long and as full to raw, beside 7-Zip. And a disk of 100 GiB that holds
64 MiB, where what takes time should be the data and not the length.
"""

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from console import say
from proofs.images import udzo
from proofs.support import proof
from proofs.support.contenders import Contender, Rates, called, interleaved, ratios
from proofs.support.goals import at_least, at_most
from proofs.support.proof import Figure
from study.config import IMAGE_FORMATS

MIB = 1 << 20
DISK_BYTES = 4 << 30
# A file of 64 MiB, and as much room behind it, again and again.
PIECE_BYTES = 64 * MIB
LONG_BYTES = 100 << 30
BEST = "qemu-img's best"
QEMU = ("raw", "qcow2")
# Times as those of the best of the others; a long disk costs what its data does.
GOAL = at_most(1)
FASTER = at_least(1)
LONG_GOAL = at_most(1, "<= 1 s")


def figures(release: Path, folder: Path, rounds: int) -> Iterator[Figure]:
    """A ratio of times for each format and direction, one for UDZO, and times of the long disk."""
    convert = [release / "diskbench", "image", "convert", "--progress", "none"]
    disk = folder / "disk"
    _written(disk, DISK_BYTES, range(0, DISK_BYTES, 2 * PIECE_BYTES))
    if shutil.which("qemu-img"):
        for image_format in IMAGE_FORMATS:
            yield from _beside_qemu(convert, folder, disk, image_format, rounds)
    else:
        say("qemu-img is not installed: left out")
    if shutil.which("7zz"):
        yield _beside_7zip(convert, folder, disk, rounds)
    else:
        say("7zz is not installed: left out")
    disk.unlink()
    _written(disk, LONG_BYTES, [LONG_BYTES // 2])
    for image_format in IMAGE_FORMATS:
        made = folder / "made"
        seconds = []
        for _ in range(rounds):
            seconds.append(_seconds([*convert, disk, made, "--to", image_format]))
            _remove(made)
        what = f"converting 100 GiB that hold 64 MiB to {image_format}"
        yield proof.over_rounds(what, seconds, "s", LONG_GOAL)


def _beside_qemu(
    convert: list, folder: Path, disk: Path, image_format: str, rounds: int
) -> Iterator[Figure]:
    image, made = folder / "image", folder / "made"
    called([*convert, disk, image, "--to", image_format])
    contenders = {
        f"to {image_format}": _timed([*convert, disk, made, "--to", image_format], made),
        f"from {image_format}": _timed([*convert, image, made, "--to", "UDRW"], made),
    } | {
        kind: _timed(["qemu-img", "convert", "-f", "raw", "-O", kind, disk, made], made)
        for kind in QEMU
    }
    results = interleaved(contenders, rounds)
    _remove(image)
    for round_ in results:
        round_[BEST] = {"time": min(round_[kind]["time"] for kind in QEMU)}
    for name in (f"to {image_format}", f"from {image_format}"):
        found = ratios(results, "time", name, BEST)
        yield proof.over_rounds(f"converting {name}: time / {BEST}", found, goal=GOAL)


def _beside_7zip(convert: list, folder: Path, disk: Path, rounds: int) -> Figure:
    """All that an image holds, unpacked by each into a raw disk; ours is checked once."""
    image, made, out = folder / "disk.dmg", folder / "made", folder / "out"
    udzo.write(disk, image)
    called([*convert, image, made, "--to", "UDRW", "--verify"])
    _remove(made)
    contenders = {
        "diskbench": _timed([*convert, image, made, "--to", "UDRW"], made),
        "7-Zip": _timed(["7zz", "x", "-tdmg", f"-o{out}", image], out),
    }
    results = interleaved(contenders, rounds)
    image.unlink()
    found = ratios(results, "time", "7-Zip", "diskbench")
    return proof.over_rounds(
        "converting from UDZO: time of 7-Zip / diskbench's", found, goal=FASTER
    )


def _timed(command: list, made: Path) -> Contender:
    def measure() -> Rates:
        seconds = _seconds(command)
        _remove(made)
        return {"time": seconds}

    return measure


def _seconds(command: list) -> float:
    before = time.monotonic()
    called(command)
    return time.monotonic() - before


def _written(disk: Path, length: int, places: range | list[int]) -> None:
    """A disk with random bytes at these places, and nothing else."""
    with disk.open("wb") as file:
        file.truncate(length)
        for place in places:
            file.seek(place)
            file.write(os.urandom(PIECE_BYTES))


def _remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()
