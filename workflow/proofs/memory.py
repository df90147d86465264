"""The memory that the core uses while it measures, at two scales.

Usage: bash workflow/prove.sh memory [ROUNDS] [FOLDER] [--save]
  ROUNDS   rounds of each kind of cell (6)
  FOLDER   where files are written, 6 GB (/dev/shm, where there is one)
  --save   keeps the figures in data/proofs/memory.json

Each kind of cell is measured at scale smoke and at scale tenth, which writes some twenty times as
much into files two hundred times as large. The core should use the same memory for both. Before
each cell it measures its own speed limit with copies in memory, of one size for all scales, which
need more memory than anything later; so the memory used after that is a separate figure.
"""

import itertools
import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

from arguments import whole_number, writable_folder
from proofs.support import core, goals, proof
from proofs.support.cells import cell
from proofs.support.proof import Figure
from study.scales import SCALES, sizes_bytes

KINDS = (
    ("native", "native", "none"),
    *itertools.product(("portable",), ("UDRW", "UDSP", "UDSB", "ASIF"), ("none", "AES-256")),
)
LARGE, SMALL = "tenth", "smoke"
# Above this the larger scale holds more: buffers are 1 MiB, and threads come and go by chance.
GOAL = goals.at_most(1.25)
# The fewest that have an interval: what a program holds hardly differs from run to run.
ROUNDS = 6
LOOK_SECONDS = 0.002


def main(words: list[str]) -> None:
    """Build, measure, print."""
    parser = proof.arguments("memory")
    parser.add_argument("rounds", type=whole_number, nargs="?", default=ROUNDS)
    parser.add_argument("folder", type=writable_folder, nargs="?", default=core.MEMORY)
    asked = parser.parse_args(words)
    core.build()
    figures = []
    for kind in KINDS:
        for figure in _figures(kind, asked.folder, asked.rounds):
            print(proof.line(figure), flush=True)
            figures.append(figure)
    proof.keep(asked, "memory", "Memory that the core uses while it measures a cell", figures)


def _figures(kind: tuple[str, str, str], folder: Path | None, rounds: int) -> Iterator[Figure]:
    driver, form, code = kind
    name = driver if form == driver else f"{form} {code}, {driver}"
    held = [
        {scale: _held(_cell(kind, scale), folder) for scale in (SMALL, LARGE)}
        for _ in range(rounds)
    ]
    for at, when in enumerate(("peak of the whole run", "peak after the start of the cell")):
        what = f"{name}: {when}"
        for scale in (SMALL, LARGE):
            mebibytes = [of_round[scale][at] / 1_048_576 for of_round in held]
            yield proof.over_rounds(f"{what}, scale {scale}", mebibytes, "MiB")
        grown = [of_round[LARGE][at] / of_round[SMALL][at] for of_round in held]
        yield proof.over_rounds(f"{what}, {LARGE} / {SMALL}", grown, goal=GOAL)


def _cell(kind: tuple[str, str, str], scale: str) -> dict[str, Any]:
    of_scale = SCALES[scale]
    return cell(*kind) | {
        "scale": scale,
        "sets": of_scale.sets,
        "sizes_bytes": sizes_bytes(of_scale),
        "nominal_bytes": 10_000_000_000,
    }


def _held(description: dict[str, Any], parent: Path | None) -> tuple[int, int]:
    """The most memory that `diskbench run` held at all, and with its folder there, in bytes."""
    with tempfile.TemporaryDirectory(dir=parent) as temporary:
        folder = Path(temporary)
        path = folder / "cell.json"
        path.write_text(json.dumps(description), encoding="utf-8")
        command = [core.RELEASE / "diskbench", "run", "--cell", path, "--folder", folder]
        command += ["--record", folder / "record.json", "--progress", "none"]
        with subprocess.Popen(command) as process:
            held = _watched(psutil.Process(process.pid), process, folder)
        if process.returncode != 0:
            raise RuntimeError(f"diskbench ended with {process.returncode}")
    return held


def _watched(seen: psutil.Process, process: subprocess.Popen, folder: Path) -> tuple[int, int]:
    most, begun = 0, 0
    while process.poll() is None:
        try:
            held = seen.memory_info().rss
        except psutil.Error:
            break
        most = max(most, held)
        if len(list(folder.iterdir())) > 1:
            begun = max(begun, held)
        time.sleep(LOOK_SECONDS)
    process.wait()
    return most, begun
