"""Who is measured: the harness, a bare loop and fio, each writing and reading the same bytes.

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

Rates = dict[str, float]


@dataclass(frozen=True)
class Contender:
    """name: as the table prints it. measure: does one round and gives the rates by direction."""

    name: str
    measure: Callable[[], Rates]


def harness(binary: Path, cell: Path, folder: Path, name: str = "diskbench") -> Contender:
    """`diskbench run` on the cell, its rates from the samples of its record."""

    def measure() -> Rates:
        record = folder / "record.json"
        called([binary, "run", "--cell", cell, "--folder", folder, "--record", record])
        samples = json.loads(record.read_text(encoding="utf-8"))["samples"]
        record.unlink()
        return {op: _rate([s for s in samples if s["op"] == op]) for op in ("write", "read")}

    return Contender(name, measure)


def bare_loop(binary: Path, cell: Path, folder: Path, *, stamped: bool) -> Contender:
    """core/examples/bare_loop.rs: nothing but pwrite, fsync and pread.

    stamped: whether it makes every 4 KiB page unique as the harness does, or writes one block over
    and over.
    """
    options = [] if stamped else ["--unstamped"]

    def measure() -> Rates:
        result = json.loads(called([binary, "--cell", cell, "--folder", folder, *options]))
        return {op: result[f"{op}_bytes"] * 1e9 / result[f"{op}_ns"] for op in ("write", "read")}

    return Contender("bare loop" if stamped else "bare loop, unstamped", measure)


def fio(cell: dict[str, Any], folder: Path) -> Contender:
    """fio's plain `pwrite` and `pread` (psync): the same total in one file, the same blocks.

    Without preallocation, which would take the making of pages out of what is timed; its content is
    fio's default, buffers that are scrambled a little for each block.
    """

    def measure() -> Rates:
        rates = {}
        for op, extra in (("write", ["--end_fsync=1"]), ("read", [])):
            output = called([
                "fio", "--name=bench", f"--rw={op}", "--ioengine=psync", "--output-format=json",
                f"--filename={folder / 'fio.bin'}", f"--bs={cell['io']['block_bytes']}",
                f"--size={sum(cell['sizes_bytes']) * cell['sets']}", "--fallocate=none", *extra,
            ])  # fmt: skip
            # fio may print a note before the JSON
            job = json.loads(output[output.index("{") :])["jobs"][0]
            rates[op] = job[op]["io_bytes"] * 1e3 / job[op]["runtime"]
        (folder / "fio.bin").unlink()
        return rates

    return Contender("fio (psync)", measure)


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
