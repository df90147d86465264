"""The scales: the 16 file sizes, the sets of them, and scaled steps.

The sizes are inferred: no source states the list. It is the one that fits every total in the
articles (16 files from 2 MB to 2 GB, 10 sets "just over 53 GB", exactly four of 600 MB or more).
"""

from dataclasses import dataclass
from typing import Any

MEGABYTE = 1_000_000
SIZES_BYTES = tuple(
    size * MEGABYTE
    for size in (2, 4, 6, 8, 10, 20, 40, 60, 80, 100, 200, 400, 600, 800, 1000, 2000)
)


@dataclass(frozen=True)
class Scale:
    """One row of the table of scales.

    sets: passes over the 16 sizes in each `write`.
    size_divisor: every file size is divided by it.
    wait_divisor: every wait is divided by it; only `smoke`, which is no test of settling,
    shortens it.
    nominal_divisor: the image's nominal size is divided by it (a 10 GB image with a tenth of the
        tests, March 2026).
    later_phases: whether phases after the first are run.
    """

    sets: int
    size_divisor: int = 1
    wait_divisor: int = 1
    nominal_divisor: int = 1
    later_phases: bool = True


SCALES = {
    "gold": Scale(sets=10),
    "half": Scale(sets=5),
    "tenth": Scale(sets=1, nominal_divisor=10, later_phases=False),
    # 10 GB is still plenty for files of 1/200 of their size, and is what a UDRW image takes of the
    # disk at first on releases before macOS 26
    "smoke": Scale(sets=10, size_divisor=200, wait_divisor=10, nominal_divisor=10),
}


def at_most(article_scale: str, scale: str) -> str:
    """The scale of a protocol: at most that of its article."""
    return min(article_scale, scale, key=lambda name: _set_bytes(SCALES[name]))


def _set_bytes(scale: Scale) -> int:
    return scale.sets * sum(sizes_bytes(scale))


def sizes_bytes(scale: Scale) -> list[int]:
    """The 16 file sizes of one set, smallest first, in bytes."""
    return [size // scale.size_divisor for size in SIZES_BYTES]


def scaled_steps(steps: list[dict[str, Any]], scale: Scale) -> list[dict[str, Any]]:
    """A phase's steps in a cell, with shares turned into numbers of this scale.

    Of 10 sets the articles delete 8, or of 160 files the 40 largest; with fewer sets the
    same share is deleted, rounded down. A single set cannot be deleted in part: then that step is
    left out, and the size that it leaves with it.
    """
    kept = []
    whole = False
    for step in steps:
        scaled = _scaled(step, scale)
        if scaled.get("sets") == 0:
            whole = True
        elif whole and step["step"] == "measure":
            whole = False
        else:
            kept.append(scaled)
    return kept


def _scaled(step: dict[str, Any], scale: Scale) -> dict[str, Any]:
    scaled = {key: value for key, value in step.items() if key != "of"}
    if "seconds" in step:
        scaled["seconds"] = -(-step["seconds"] // scale.wait_divisor)
    if "sets" in step:
        scaled["sets"] = step["sets"] * scale.sets // step["of"]
    if "files" in step:
        files_written = scale.sets * len(SIZES_BYTES)
        scaled["files"] = max(1, step["files"] * files_written // step["of"])
    return scaled
