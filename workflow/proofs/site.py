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
from proofs.support.proof import PROJECT

RENDER_SECONDS, UPDATE_SECONDS, PAGE_BYTES = 90, 60, 3_000_000  # the goals
MADE_UP_MACS = PROJECT / "workflow" / "tests" / "publish" / "macs.py"


def main(words: list[str]) -> None:
    """Print each figure with its spread over the rounds."""
    parser = Parser(prog="bash workflow/prove.sh site")
    parser.add_argument("rounds", nargs="?", type=whole_number, default=3)
    rounds = parser.parse_args(words).rounds
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        makers: dict[str, Callable[[Path], object]] = {
            "nothing measured": lambda runs: runs.mkdir(),
            "this project's records": _ours,
            "five made-up Macs": lambda runs: _call(str(MADE_UP_MACS), str(runs)),
        }
        for number, (name, make) in enumerate(makers.items()):
            place = home / str(number)
            place.mkdir()
            make(place / "runs")
            _measure(name, place, rounds)


def _ours(runs: Path) -> None:
    source = PROJECT / "data" / "runs"
    shutil.copytree(source, runs) if source.is_dir() else runs.mkdir()


def _measure(name: str, place: Path, rounds: int) -> None:
    """One set of records: from nothing, and with one record that was not there before."""
    left_out = shutil.ignore_patterns("_site", ".quarto", "__pycache__")
    # pages quote the methods, the scales and what was found out about this project
    for part in ("reports", "workflow", "data/proofs", "core/system/src"):
        if (PROJECT / part).is_dir():
            shutil.copytree(PROJECT / part, place / part, ignore=left_out)
    for file in [*PROJECT.glob("*.md"), *PROJECT.glob("*.cff")]:
        shutil.copyfile(file, place / file.name)
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
    return _call(
        "-m", "database", "build",
        "--runs", str(place / "runs"),
        "--published", str(PROJECT / "data" / "published"),
        "--sql", str(PROJECT / "workflow" / "sql"),
        "--schema", str(PROJECT / "workflow" / "schemas" / "record.schema.json"),
        "--database", str(place / "diskbench.duckdb"),
        "--parquet", str(place / "parquet"),
    )  # fmt: skip


def _render(place: Path) -> float:
    return _call(
        "-m", "publish", "--reports", str(place / "reports"), "--renderer", "plain",
        DISKBENCH_DATABASE=str(place / "diskbench.duckdb"),
    )  # fmt: skip


def _call(*words: str, **environment: str) -> float:
    """Seconds that a Python program took; what it says goes on to stderr."""
    began = time.monotonic()
    subprocess.run(
        [sys.executable, *words], env=os.environ | environment, stdout=sys.stderr, check=True
    )
    return time.monotonic() - began


def _spread(seconds: list[float]) -> str:
    middle = statistics.median(seconds)
    return f"{middle:6.1f} s ({min(seconds):.1f} to {max(seconds):.1f})"
