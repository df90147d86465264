"""Compares every format, plain and encrypted, with ordinary files of the same sizes and blocks.

A thread that writes waits for the ciphers, and then for the file of the host: the calls are those
of ordinary files. What encryption costs beyond both is the image's own.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from proofs.support import proof
from proofs.support.cells import cell
from proofs.support.contenders import Contender, Rates, called, harness, interleaved, rates, ratios
from proofs.support.goals import at_least
from proofs.support.proof import Figure
from study.config import IMAGE_FORMATS

NATIVE = "native"
CIPHERS = "encryption alone"
LEAST = "least"
VERBS = {"write": "encrypt", "read": "decrypt"}
BOTH = "native, then encryption, not overlapped (computed)"

# What a format may cost, and what encryption may cost beyond its own arithmetic.
GOALS = {name: at_least(0.95 if name == "UDRW" else 0.90) for name in IMAGE_FORMATS}
ENCRYPTED_GOALS = {"write": at_least(0.85), "read": at_least(0.75)}


def figures(release: Path, folder: Path, rounds: int) -> Iterator[Figure]:
    """A ratio for each format, encryption and direction, and the rates that they are of."""
    binary = release / "diskbench"
    cells = {NATIVE: cell()} | {
        f"{image_format} {encryption}": cell("portable", image_format, encryption)
        for encryption in ("none", "AES-256")
        for image_format in IMAGE_FORMATS
    }
    contenders = {CIPHERS: _ciphers(binary)}
    for name, description in cells.items():
        path = folder / f"{name.replace(' ', '-')}.json"
        path.write_text(json.dumps(description), encoding="utf-8")
        contenders[name] = harness(binary, path, folder)
    results = interleaved(contenders, rounds)
    for round_ in results:
        native, ciphers = round_[NATIVE], round_[CIPHERS]
        round_[LEAST] = {op: min(native[op], ciphers[op]) for op in native}
        round_[BOTH] = {op: one_after_the_other(native[op], ciphers[op]) for op in native}
    for op in ("write", "read"):
        for name in (NATIVE, CIPHERS, BOTH):
            yield proof.over_rounds(f"{op}: {name}", rates(results, op, name), "GB/s")
        for image_format in IMAGE_FORMATS:
            found = ratios(results, op, f"{image_format} none", NATIVE)
            yield proof.over_rounds(
                f"{op}: {image_format} / {NATIVE}", found, goal=GOALS[image_format]
            )
        for image_format in IMAGE_FORMATS:
            found = ratios(results, op, f"{image_format} AES-256", LEAST)
            yield proof.over_rounds(
                f"{op}: {image_format} AES-256 / the slower of {NATIVE} and {CIPHERS}",
                found,
                goal=ENCRYPTED_GOALS[op],
            )
        for image_format in IMAGE_FORMATS:
            found = ratios(results, op, f"{image_format} AES-256", BOTH)
            yield proof.over_rounds(f"{op}: {image_format} AES-256 / {BOTH}", found)


def one_after_the_other(*rates: float) -> float:
    """The rate of bytes that go through all of them, each waiting for the one before."""
    return 1 / sum(1 / rate for rate in rates)


def _ciphers(binary: Path) -> Contender:
    """What all threads encrypt and decrypt at once, without any disk."""

    def measure() -> Rates:
        found = json.loads(called([binary, "ceiling", "--json"]))["encryption"]
        return {op: found[f"{verb}_bytes_per_second"] for op, verb in VERBS.items()}

    return measure
