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
import shutil
import statistics
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from arguments import whole_number, writable_folder
from console import ExitCode, StudyError
from proofs.support import core, goals, proof
from proofs.support.cells import BLOCK_BYTES, cell
from proofs.support.contenders import (
    Contender,
    Rates,
    called,
    harness,
    interleaved,
    rates,
    ratios,
)
from proofs.support.proof import Figure
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
    figures = (
        figure
        for folder in folders
        for figure in measured(core.RELEASE / "diskbench", folder, arguments.rounds)
    )
    title = f"Against fio, ratio of rates, median of {arguments.rounds} rounds"
    proof.show(arguments, "fio", title, figures, of_the_harness=True)


def measured(binary: Path, parent: Path, rounds: int) -> Iterator[Figure]:
    """The figures of one file system."""
    with tempfile.TemporaryDirectory(dir=parent) as temporary:
        folder = Path(temporary).resolve()
        contenders: dict[str, Contender] = {}
        file_system = ""
        for mode, cache in MODES.items():
            record, path = first_run(binary, folder, mode, cache)
            file_system = record["host"]["storage"]["file_system"] or "unknown"
            if record["cache"]["reached"] != cache:
                print(f"{file_system} takes no {mode} I/O: left out")
                continue
            written = [made["size_bytes"] for made in record["samples"] if made["op"] == "write"]
            contenders[f"{mode} {OURS}"] = harness(binary, path, folder)
            for name in (THEIRS, AGAIN):
                contenders[f"{mode} {name}"] = fio(written, folder, direct=mode == "direct")
        print(
            f"\n{rounds} interleaved rounds on {file_system} in {parent}; ratio: median of the "
            "rounds [its 95 % interval]"
        )
        results = interleaved(contenders, rounds)
        for mode in MODES:
            if f"{mode} {OURS}" in contenders:
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
        yield from (ours, own)


def verdict(ours: goals.Verdict, own: goals.Verdict) -> goals.Verdict:
    """The verdict on our ratio, limited by the spread of fio against itself.

    Where fio is surely not like itself, nothing can be said; where it may not be, we cannot be said
    to be like it.
    """
    if own is False or (own is None and ours):
        return None
    return ours


def fio(sizes: list[int], folder: Path, *, direct: bool) -> Contender:
    """fio's plain `pwrite` and `pread` (psync): the harness's very calls, replayed from a log.

    sizes: bytes of each file, in the order of writing. Files are new, written in the blocks of the
    study, flushed once each, dropped from the cache, and read back. Counted is the time inside of
    fio's writes, flushes and reads; making content, opening and closing are left out, as with us.
    Three of fio's defaults would make it another measurement: it takes room before it writes
    (`fallocate`), asks the system to read further ahead than usual (`fadvise_hint`), and copies to
    and from an address that is no page's unless I/O is direct (`iomem_align`), which is slower.
    """
    files = [(folder / f"fio-{order}.bin", size) for order, size in enumerate(sizes)]
    log = folder / "fio.log"

    def measure() -> Rates:
        rates = {}
        for op in ("write", "read"):
            log.write_text(_calls(files, op), encoding="utf-8")
            output = called([
                "fio", "--name=bench", "--thread", "--output-format=json", "--ioengine=psync",
                f"--read_iolog={log}", "--replay_no_stall=1", f"--rw={op}", f"--bs={BLOCK_BYTES}",
                f"--direct={int(direct)}", "--create_on_open=1", "--fallocate=none",
                "--fadvise_hint=0", "--iomem_align=4k",
            ])  # fmt: skip
            # fio may print a note before the JSON
            [job] = json.loads(output[output.index("{") :])["jobs"]
            seconds = sum(_seconds(part) for part in (job[op], job["sync"]))
            if job[op]["io_bytes"] != sum(sizes):
                raise RuntimeError(f"fio moved {job[op]['io_bytes']} of {sum(sizes)} bytes")
            rates[op] = sum(sizes) / seconds
        for file, _ in files:
            file.unlink()
        return rates

    return measure


def _calls(files: list[tuple[Path, int]], op: str) -> str:
    """The calls in the words of fio's log, version 2 (fio's manual, "Trace file format v2")."""
    lines = ["fio version 2 iolog"]
    for file, size in files:
        lines += [f"{file} add", f"{file} open"]
        for offset in range(0, size, BLOCK_BYTES):
            lines.append(f"{file} {op} {offset} {min(BLOCK_BYTES, size - offset)}")
        lines += [f"{file} sync 0 0"] if op == "write" else []
        lines.append(f"{file} close")
    return "\n".join(lines) + "\n"


def _seconds(calls: dict[str, Any]) -> float:
    """The time inside all calls of one kind, from fio's number and mean in nanoseconds."""
    return calls["lat_ns"]["mean"] * calls["lat_ns"]["N"] / 1e9


def fio_is_here() -> bool:
    """Whether the fio program is on PATH."""
    return shutil.which("fio") is not None
