"""Compares the harness with fio, on the same files in the same order and blocks.

Usage: bash workflow/prove.sh fio [ROUNDS] [FOLDER ...] [--save]
  ROUNDS   interleaved rounds (241)
  FOLDER   file systems to measure on (this project's disk, and /dev/shm where there is one)
  --save   keeps the figures in data/proofs/fio.json

Both write and read through the system's cache, then with direct I/O. Each round runs fio twice: the
difference between the two is noise of the machine. Where fio does not reach the goal against
itself, this machine cannot show whether the harness does.
"""

import json
import statistics
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from arguments import whole_number, writable_folder
from console import ExitCode, StudyError
from proofs.support import core, goals, proof
from proofs.support.cells import cell
from proofs.support.contenders import Rates, called, fio, fio_is_here, harness
from proofs.support.proof import Figure
from proofs.support.rounds import interleaved, rates, ratios
from study.scales import SIZES_BYTES

# Many short rounds, so that other work on the machine disturbs all three equally.
# Of 61 rounds the interval of fio beside itself was up to 8.5 % wide, of a goal that is 10 % wide.
# Four times as many rounds make it half as wide, so that it can lie inside.
ROUNDS = 241
SIZE_DIVISOR = 40
# As much as two good programs that make the same calls may differ by.
GOAL = goals.alike(0.05)
# What direct I/O moves: whole pages, on every file system that has it.
PAGE = 4096
OURS, THEIRS, AGAIN = "diskbench", "fio", "fio again"
MODES = {"buffered": "none", "direct": "bypass"}
ON_DISK = Path(".diskbench")


def main(words: list[str]) -> None:
    """Build, measure, print; save with --save."""
    parser = proof.arguments("fio")
    parser.add_argument("rounds", type=whole_number, nargs="?", default=ROUNDS)
    parser.add_argument("folder", type=writable_folder, nargs="*")
    arguments = parser.parse_args(words)
    if not fio_is_here():
        raise StudyError(ExitCode.BAD_INPUT, "fio is not installed: install it, then run again")
    core.build()
    ON_DISK.mkdir(exist_ok=True)
    folders = arguments.folder or [ON_DISK, *([core.MEMORY] if core.MEMORY else [])]
    figures = [
        figure
        for folder in folders
        for figure in measured(core.RELEASE / "diskbench", folder, arguments.rounds)
    ]
    title = f"Against fio, ratio of rates, median of {arguments.rounds} rounds"
    proof.keep(arguments, "fio", title, figures, of_the_harness=True)


def measured(binary: Path, parent: Path, rounds: int) -> Iterator[Figure]:
    """The figures of one file system, printed as they come."""
    with tempfile.TemporaryDirectory(dir=parent) as temporary:
        folder = Path(temporary).resolve()
        contenders, file_system = [], ""
        for mode, cache in MODES.items():
            record, path = first_run(binary, folder, mode, cache)
            file_system = record["host"]["storage"]["file_system"] or "unknown"
            if record["cache"]["reached"] != cache:
                print(f"{file_system} takes no {mode} I/O: left out")
                continue
            written = [made["size_bytes"] for made in record["samples"] if made["op"] == "write"]
            direct = mode == "direct"
            contenders += [
                harness(binary, path, folder, f"{mode} {OURS}"),
                *(
                    fio(written, folder, f"{mode} {name}", direct=direct)
                    for name in (THEIRS, AGAIN)
                ),
            ]
        print(
            f"\n{rounds} interleaved rounds on {file_system} in {parent}; ratio: median of the "
            "rounds [its 95 % interval]"
        )
        results = interleaved(contenders, rounds)
        named = {contender.name for contender in contenders}
        for mode in MODES:
            if f"{mode} {OURS}" in named:
                yield from judged(results, mode, file_system)


def first_run(binary: Path, folder: Path, mode: str, cache: str) -> tuple[dict, Path]:
    """One run of the harness: what it reached, and in which order it wrote; and its cell."""
    description = cell(cache=cache)
    sizes = [size // SIZE_DIVISOR // PAGE * PAGE for size in SIZES_BYTES]
    path, record = folder / f"{mode}.json", folder / "first.json"
    path.write_text(json.dumps(description | {"sizes_bytes": sizes}), encoding="utf-8")
    called([binary, "run", "--cell", path, "--folder", folder, "--record", record])
    found = json.loads(record.read_text(encoding="utf-8"))
    record.unlink()
    return found, path


def judged(results: list[dict[str, Rates]], mode: str, file_system: str) -> Iterator[Figure]:
    """Two figures a direction: ours over fio's, and fio's over its own, each with its verdict."""
    for op in ("write", "read"):
        what = f"{file_system}, {mode}, {op}"
        ours, own = (
            proof.over_rounds(
                f"{what}: {name} / fio",
                ratios(results, op, f"{mode} {name}", f"{mode} {THEIRS}"),
                goal=GOAL,
            )
            for name in (OURS, AGAIN)
        )
        ours = replace(ours, reached=verdict(ours.reached, own.reached))
        rate = statistics.median(rates(results, op, f"{mode} {THEIRS}"))
        print(f"{what}: fio {rate:.2f} GB/s")
        for figure in (ours, own):
            print(proof.line(figure))
            yield figure


def verdict(ours: goals.Verdict, own: goals.Verdict) -> goals.Verdict:
    """The verdict on our ratio, limited by the spread of fio against itself.

    Where fio is surely not like itself, nothing can be said; where it may not be, we cannot be said
    to be like it.
    """
    if own is False or (own is None and ours):
        return None
    return ours
