"""The time that the database and the pages take to make.

Usage: bash workflow/prove.sh site [ROUNDS]
  ROUNDS   rounds of each (3)

From three sets of records: none, those of this project, and five synthetic Macs with four releases
each. For each the time to build the database, to render all pages, and to bring both up to date
with one more record; and the largest page.
"""

import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from arguments import Parser, whole_number
from proofs.support import core, macs, making, records
from proofs.support.proof import PROJECT

RENDER_SECONDS, UPDATE_SECONDS, PAGE_BYTES = 90, 60, 3_000_000  # the goals


def main(words: list[str]) -> None:
    """Print each figure with its spread over the rounds."""
    parser = Parser(prog="bash workflow/prove.sh site")
    parser.add_argument("rounds", nargs="?", type=whole_number, default=3)
    rounds = parser.parse_args(words).rounds
    core.build()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        makers: dict[str, Callable[[Path], object]] = {
            "nothing measured": lambda runs: runs.mkdir(),
            "this project's records": _ours,
            "five made-up Macs": _made_up_macs,
        }
        for number, (name, make) in enumerate(makers.items()):
            place = home / str(number)
            place.mkdir()
            make(place / "runs")
            _measure(name, place, rounds)


def _ours(runs: Path) -> None:
    source = PROJECT / "data" / "runs"
    shutil.copytree(source, runs) if source.is_dir() else runs.mkdir()


def _made_up_macs(runs: Path) -> None:
    for one in macs.made():
        records.save(records.signed(one), runs)


def _measure(name: str, place: Path, rounds: int) -> None:
    """One set of records: from nothing, and with one record that was not there before."""
    making.copy_pages(place)
    records = sorted((place / "runs").rglob("*.json"))
    print(f"{name}: {len(records)} records")
    print(f"  database   {_spread([_build(place) for _ in range(rounds)])}")
    rendered = [_render(place) for _ in range(rounds)]
    print(f"  pages      {_spread(rendered)}   goal <= {RENDER_SECONDS} s")
    if records:
        updates = []
        for number in range(rounds):
            late = random.Random(number).choice(records)
            aside = late.rename(place / "late.json")
            _build(place)
            aside.rename(late)
            updates.append(_build(place) + _render(place))
        print(f"  one record {_spread(updates)}   goal <= {UPDATE_SECONDS} s")
    pages = list((place / "reports" / "_site").rglob("*.html"))
    largest = max(pages, key=lambda page: page.stat().st_size)
    size = largest.stat().st_size
    goal = f"goal <= {PAGE_BYTES / 1e6:.0f} MB"
    print(f"  {len(pages)} pages, the largest {largest.name}: {size / 1e6:.2f} MB   {goal}")


def _build(place: Path) -> float:
    return _call(making.database(place))


def _render(place: Path) -> float:
    words, environment = making.pages(place)
    return _call(words, **environment)


def _call(words: list[str], **environment: str) -> float:
    """Seconds that a Python program took; what it says goes on to stderr."""
    began = time.monotonic()
    subprocess.run(words, env=os.environ | environment, stdout=sys.stderr, check=True)
    return time.monotonic() - began


def _spread(seconds: list[float]) -> str:
    middle = statistics.median(seconds)
    return f"{middle:6.1f} s ({min(seconds):.1f} to {max(seconds):.1f})"
