"""The time to build the database and the pages, and to answer a query on one.

Usage: bash workflow/prove.sh site [ROUNDS] [--save]
  ROUNDS   rounds of each (3)

From three sets of records: none, those of this project, and five synthetic Macs with four releases
each. For each the time to build the database, to render all pages, and to bring both up to date
with one more record; and of the page `query`, over http, the time to its first answer and to a
later one, and the bytes that the first one moves.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from arguments import whole_number
from proofs.site import answers
from proofs.support import core, goals, macs, making, proof, records
from proofs.support.proof import PROJECT, Figure
from publish import elsewhere

RENDER, UPDATE = goals.at_most(90, "<= 90 s"), goals.at_most(60, "<= 60 s")


def main(words: list[str]) -> None:
    """Print each figure; keep them with --save."""
    parser = proof.arguments("site")
    parser.add_argument("rounds", nargs="?", type=whole_number, default=3)
    options = parser.parse_args(words)
    core.build()
    title = "The site: time to make it, time of an answer"
    proof.show(options, "site", title, _figures(options.rounds))


def _figures(rounds: int) -> Iterator[Figure]:
    """Each with its spread over the rounds, of each set of records."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        makers: dict[str, Callable[[Path], object]] = {
            "nothing measured": lambda runs: runs.mkdir(),
            "this project's records": _ours,
            "five synthetic Macs": _made_up_macs,
        }
        for number, (name, make) in enumerate(makers.items()):
            place = home / str(number)
            place.mkdir()
            make(place / "runs")
            yield from _measure(name, place, rounds, made_up=make is _made_up_macs)


def _ours(runs: Path) -> None:
    source = PROJECT / "data" / "runs"
    shutil.copytree(source, runs) if source.is_dir() else runs.mkdir()


def _made_up_macs(runs: Path) -> None:
    for one in macs.made():
        records.save(one, runs)


def _measure(name: str, place: Path, rounds: int, *, made_up: bool) -> Iterator[Figure]:
    """One set of records: from nothing, and with one record that was not there before."""
    elsewhere.copy(PROJECT, place, place / "diskbench.duckdb")
    records = sorted((place / "runs").rglob("*.json"))
    print(f"{name}: {len(records)} records")
    build = making.database(place, made_up=made_up)
    built = [_call(build) for _ in range(rounds)]
    rendered = [_render(place) for _ in range(rounds)]
    yield proof.over_rounds(f"{name}: time to build the database", built, "s")
    yield proof.over_rounds(f"{name}: time to render all pages", rendered, "s", RENDER)
    if records:
        updates = []
        for number in range(rounds):
            late = random.Random(number).choice(records)
            aside = late.rename(place / "late.json")
            _call(build)
            aside.rename(late)
            updates.append(_call(build) + _render(place))
        yield proof.over_rounds(f"{name}: time to add one record", updates, "s", UPDATE)
    yield from answers.figures(name, place / "reports" / "_site")


def _render(place: Path) -> float:
    words, environment = making.pages(place)
    return _call(words, **environment)


def _call(words: list[str], **environment: str) -> float:
    """Seconds that a Python program took; what it says goes on to stderr."""
    began = time.monotonic()
    subprocess.run(words, env=os.environ | environment, stdout=sys.stderr, check=True)
    return time.monotonic() - began
