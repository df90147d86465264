"""Compares our reader with readers by others, on the same whole images.

The disk is full of random bytes and a whole number of bands long, for keramics-formats and libmodi
can do with neither holes nor short bands, and no more than the 1008 bands of a first node.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from proofs.images.read_others import shown_to_modi
from proofs.support import proof
from proofs.support.contenders import Contender, Rates, called, interleaved, rates, ratios
from proofs.support.goals import at_least
from proofs.support.proof import Figure

DISK_BYTES = 512 << 20
BAND_BYTES = 8 << 20
OURS = "diskbench"
# Faster than each.
GOAL = at_least(1)


def figures(release: Path, folder: Path, rounds: int) -> Iterator[Figure]:
    """Our rate for each format, and its ratio to each reader's."""
    disk = folder / "disk"
    with disk.open("wb") as file:
        for _ in range(DISK_BYTES // BAND_BYTES):
            file.write(os.urandom(BAND_BYTES))
    others = {
        "UDSP": {"keramics-formats": "keramics", "libmodi": "modi"},
        "UDSB": {"keramics-formats": "keramics", "libmodi": "modi"},
        "ASIF": {"dissect.hypervisor": "dissect"},
    }
    for image_format, readers in others.items():
        image = folder / f"image-{image_format.lower()}"
        called([release / "diskbench", "image", "convert", disk, image, "--to", image_format,
                "--progress", "none"])  # fmt: skip
        shown = shown_to_modi(image, folder) if image.is_dir() else image
        contenders = {OURS: _program(OURS, [release / "examples" / "read_image", image])}
        for name, reader in readers.items():
            if reader == "keramics":
                command = [release / "examples" / "read_keramics", image]
            else:
                command = [sys.executable, "-m", "proofs.images.read_others", reader, shown]
            contenders[name] = _program(name, command)
        results = interleaved(contenders, rounds)
        yield proof.over_rounds(
            f"reading {image_format}: {OURS}", rates(results, "read", OURS), "GB/s"
        )
        for name in readers:
            found = ratios(results, "read", OURS, name)
            yield proof.over_rounds(f"reading {image_format}: {OURS} / {name}", found, goal=GOAL)


def _program(name: str, command: list) -> Contender:
    def measure() -> Rates:
        found = json.loads(called(command))
        if found["bytes"] != DISK_BYTES:
            raise RuntimeError(f"{name} read {found['bytes']} bytes, not {DISK_BYTES}")
        return {"read": found["bytes"] * 1e9 / found["ns"]}

    return measure
