"""The programs to compare: the harness and fio, each writing and reading the same bytes.

A contender writes into a folder of its own, reads it back, leaves it empty, and gives the two
rates in bytes per second.
"""

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proofs.support.cells import BLOCK_BYTES

Rates = dict[str, float]


@dataclass(frozen=True)
class Contender:
    """name: as the table prints it. measure: does one round and gives the rates by direction."""

    name: str
    measure: Callable[[], Rates]


def harness(binary: Path, cell: Path, folder: Path, name: str) -> Contender:
    """`diskbench run` on the cell, its rates from the samples of its record."""

    def measure() -> Rates:
        record = folder / "record.json"
        called([binary, "run", "--cell", cell, "--folder", folder, "--record", record])
        samples = json.loads(record.read_text(encoding="utf-8"))["samples"]
        record.unlink()
        return {op: _rate([s for s in samples if s["op"] == op]) for op in ("write", "read")}

    return Contender(name, measure)


def fio(sizes: list[int], folder: Path, name: str, *, direct: bool) -> Contender:
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

    return Contender(name, measure)


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


def _rate(samples: list[dict[str, Any]]) -> float:
    return sum(s["size_bytes"] for s in samples) * 1e9 / sum(s["elapsed_ns"] for s in samples)


def called(command: list[Any]) -> str:
    """What a program prints; an error when it fails."""
    done = subprocess.run(
        [str(part) for part in command], check=False, capture_output=True, text=True
    )
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout
