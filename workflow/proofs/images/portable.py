"""Every format, plain and encrypted, against ordinary files: the same sizes, the same blocks."""

import json
import statistics
from collections.abc import Iterator
from pathlib import Path

from proofs.support.cells import cell
from proofs.support.contenders import Contender, Rates, called, harness
from proofs.support.goals import Band, at_least
from proofs.support.rounds import Ratio, against_goal, interleaved, ratio

FORMATS = ("UDRW", "UDSP", "UDSB", "ASIF")
NATIVE = "native"
CIPHERS = "ciphers"
LEAST = "least"


# The table: what a format may cost, and what encryption may cost beyond its own arithmetic.
GOALS = {name: at_least(0.95 if name == "UDRW" else 0.90) for name in FORMATS}
ENCRYPTED_GOAL = at_least(0.85)


def lines(release: Path, folder: Path, rounds: int) -> Iterator[str]:
    """One line for each format, encryption and direction."""
    binary = release / "diskbench"
    contenders = [_run(binary, folder, NATIVE, cell()), _ciphers(binary)]
    for encryption in ("none", "AES-256"):
        for image_format in FORMATS:
            description = cell("portable", image_format, encryption)
            contenders.append(_run(binary, folder, f"{image_format} {encryption}", description))
    results = interleaved(contenders, rounds)
    for round_ in results:
        round_[LEAST] = {op: min(round_[NATIVE][op], round_[CIPHERS][op]) for op in round_[NATIVE]}
    for op in ("write", "read"):
        yield f"{op:5}  {NATIVE:13} {_rate(results, op, NATIVE)}"
        yield f"{op:5}  {'AES-256 limit':13} {_rate(results, op, CIPHERS)}   threads x one core's"
        for image_format in FORMATS:
            name = f"{image_format} none"
            yield _line(results, op, name, NATIVE, GOALS[image_format])
        for image_format in FORMATS:
            name = f"{image_format} AES-256"
            yield _line(results, op, name, LEAST, ENCRYPTED_GOAL)


def _line(results: list[dict[str, Rates]], op: str, name: str, other: str, goal: Band) -> str:
    found: Ratio = ratio(results, op, name, other)
    beside = "native" if other == NATIVE else "the lesser of native and limit"
    return f"{op:5}  {name:13} {_rate(results, op, name)}   / {beside}: {against_goal(found, goal)}"


def _rate(results: list[dict[str, Rates]], op: str, name: str) -> str:
    rates = [round_[name][op] / 1e9 for round_ in results]
    return f"{statistics.median(rates):5.2f} GB/s ({min(rates):.2f} to {max(rates):.2f})"


def _run(binary: Path, folder: Path, name: str, description: dict) -> Contender:
    path = folder / f"{name.replace(' ', '-')}.json"
    path.write_text(json.dumps(description), encoding="utf-8")
    return harness(binary, path, folder, name)


def _ciphers(binary: Path) -> Contender:
    """What all threads could encrypt and decrypt, were each as fast as one that is alone."""

    def measure() -> Rates:
        found = json.loads(called([binary, "ceiling", "--json"]))["encryption"]
        return {
            "write": found["threads"] * found["encrypt_bytes_per_second"],
            "read": found["threads"] * found["decrypt_bytes_per_second"],
        }

    return Contender(CIPHERS, measure)
