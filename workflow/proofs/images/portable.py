"""Every format, plain and encrypted, against ordinary files: the same sizes, the same blocks."""

import json
from collections.abc import Iterator
from pathlib import Path

from proofs.support import proof
from proofs.support.cells import cell
from proofs.support.contenders import Contender, Rates, called, harness
from proofs.support.goals import at_least
from proofs.support.proof import Figure
from proofs.support.rounds import interleaved, rates, ratios

FORMATS = ("UDRW", "UDSP", "UDSB", "ASIF")
NATIVE = "native"
CIPHERS = "what the ciphers allow"
LEAST = "least"

# What a format may cost, and what encryption may cost beyond its own arithmetic.
GOALS = {name: at_least(0.95 if name == "UDRW" else 0.90) for name in FORMATS}
ENCRYPTED_GOALS = {"write": at_least(0.85), "read": at_least(0.75)}


def figures(release: Path, folder: Path, rounds: int) -> Iterator[Figure]:
    """A ratio for each format, encryption and direction, and the rates that they are of."""
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
        for name in (NATIVE, CIPHERS):
            yield proof.over_rounds(f"{op}: {name}", rates(results, op, name), "GB/s")
        for image_format in FORMATS:
            found = ratios(results, op, f"{image_format} none", NATIVE)
            yield proof.over_rounds(
                f"{op}: {image_format} / {NATIVE}", found, goal=GOALS[image_format]
            )
        for image_format in FORMATS:
            found = ratios(results, op, f"{image_format} AES-256", LEAST)
            yield proof.over_rounds(
                f"{op}: {image_format} AES-256 / lesser of {NATIVE} and {CIPHERS}",
                found,
                goal=ENCRYPTED_GOALS[op],
            )


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
