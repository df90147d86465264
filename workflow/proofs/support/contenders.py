"""Programs that are compared in interleaved rounds, by rates and by ratios within one round.

A contender does one round when it is called, leaves nothing behind, and gives its rates by
direction, in bytes per second.
"""

import json
import random
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

Rates = dict[str, float]
Contender = Callable[[], Rates]


def harness(binary: Path, cell: Path, folder: Path) -> Contender:
    """`diskbench run` on the cell, its rates from the samples of its record."""

    def measure() -> Rates:
        record = folder / "record.json"
        called([binary, "run", "--cell", cell, "--folder", folder, "--record", record])
        samples = json.loads(record.read_text(encoding="utf-8"))["samples"]
        record.unlink()
        return by_op(samples)

    return measure


def by_op(samples: list[dict[str, Any]]) -> Rates:
    """The rate of each direction that a record has samples of."""
    return {
        op: _rate(of_op)
        for op in ("write", "read")
        if (of_op := [sample for sample in samples if sample["op"] == op])
    }


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


def interleaved(contenders: dict[str, Contender], rounds: int) -> list[dict[str, Rates]]:
    """Measure every program in each round, in a random order; its name is as figures have it.

    What one leaves behind (files to discard, a warm cache) so meets all others alike; taking turns
    would give each the same one before it in every round. One round before the first warms up and
    is thrown away.
    """
    results = []
    for number in range(rounds + 1):
        order = random.Random(number).sample(list(contenders), len(contenders))
        results.append({name: contenders[name]() for name in order})
    return results[1:]


def rates(results: list[dict[str, Rates]], op: str, name: str) -> list[float]:
    """The rates of one program in GB/s, by round."""
    return [round_[name][op] / 1e9 for round_ in results]


def ratios(results: list[dict[str, Rates]], op: str, name: str, other: str) -> list[float]:
    """The ratios of one program's rates to another's, each within its round."""
    return [round_[name][op] / round_[other][op] for round_ in results]
