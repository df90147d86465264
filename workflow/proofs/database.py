"""Time and memory of the database at scale.

Usage: bash workflow/prove.sh database [RECORDS ...] [--rounds ROUNDS] [--folder FOLDER] [--save]
  RECORDS    how many synthetic records, 320 files each (1000 10000 100000; the last needs 7 GB)
  --rounds   rounds of each (6)
  --folder   where records are made, 54 kB each (the system's folder for temporary files)
  --save     keeps the figures in data/proofs/database.json

The records are loaded into a new database; then one of them is removed, brought back, and loaded
again. Then every query of the pages is run once more. Time is that of the whole command, memory
that of all its processes at one moment.
"""

import json
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import duckdb
import psutil

from arguments import whole_number, writable_folder
from proofs.support import bulk, core, goals, making, proof
from proofs.support.proof import Figure
from publish import elsewhere

SIZES = (1_000, 10_000, 100_000)
GOAL_RATE = goals.at_least(200_000, ">= 200,000 files/s")
GOAL_BYTES = goals.at_most(2_000_000_000, "<= 2 GB")
GOAL_UPDATE = goals.at_most(2.0, "<= 2 s")
GOAL_QUERY = goals.at_most(1.0, "<= 1 s")
# The fewest that have an interval.
ROUNDS = 6


@dataclass(frozen=True)
class Cost:
    """What a command took: wall and processor time in seconds, memory of all its processes."""

    seconds: float
    cpu_seconds: float
    peak_bytes: int


def main(words: list[str]) -> None:
    """Print the figures for each number of records, and save them with --save."""
    parser = proof.arguments("database")
    parser.add_argument("records", nargs="*", type=whole_number, default=SIZES)
    parser.add_argument("--folder", type=writable_folder)
    parser.add_argument("--rounds", type=whole_number, default=ROUNDS)
    asked = parser.parse_args(words)
    core.build()
    figures = _figures(sorted(asked.records), asked.folder, asked.rounds)
    proof.show(asked, "database", "The database with many synthetic records", figures)


def _figures(numbers: list[int], parent: Path | None, rounds: int) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        queries: list[str] = []
        for number in numbers:
            home = Path(folder) / str(number)
            bulk.write(home / "runs", number)
            yield from _measured(number, home, rounds)
            queries = queries or _queries(home)
            yield from _asked(number, home / "diskbench.duckdb", queries, rounds)
            shutil.rmtree(home)


def _measured(number: int, home: Path, rounds: int) -> Iterator[Figure]:
    late = sorted((home / "runs").rglob("*.json"))[number // 2]
    news, updates = [], []
    for _ in range(rounds):
        (home / "diskbench.duckdb").unlink(missing_ok=True)
        shutil.rmtree(home / "parquet", ignore_errors=True)
        news.append(cost(making.database(home)))
        aside = late.rename(home / "late.json")
        cost(making.database(home))
        aside.rename(late)
        updates.append(cost(making.database(home)))
    files = sum(file.stat().st_size for file in (home / "parquet").rglob("*.parquet"))
    yield from loading(number, news, updates)
    of = f"{number:,} records: "
    yield Figure(of + "the database", (home / "diskbench.duckdb").stat().st_size, "bytes")
    yield Figure(of + "the Parquet files", files, "bytes")


def loading(number: int, news: list[Cost], updates: list[Cost]) -> list[Figure]:
    """What new databases took, and databases with one record more."""
    samples = number * bulk.SAMPLES
    of = f"{number:,} records: "
    return [
        proof.over_rounds(of + what, values, unit, goal)
        for what, values, unit, goal in (
            ("time to load all into a new database", [one.seconds for one in news], "s", None),
            ("processor time to load all", [one.cpu_seconds for one in news], "s", None),
            (
                "measured files loaded per second", [samples / one.seconds for one in news],
                "files/s", GOAL_RATE,
            ),
            ("highest memory", [one.peak_bytes for one in news], "bytes", GOAL_BYTES),
            ("time to add one record", [one.seconds for one in updates], "s", GOAL_UPDATE),
            ("processor time to add one record", [one.cpu_seconds for one in updates], "s", None),
        )
    ]  # fmt: skip


def cost(command: list[str]) -> Cost:
    """Run a command that must end well; its memory is looked at five times a second."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    code, peak = None, 0
    with psutil.Popen(command, stderr=subprocess.DEVNULL) as process:
        while code is None:
            with suppress(psutil.TimeoutExpired):
                code = process.wait(0.2)
            if code is None:
                peak = max(peak, _held(process))
    seconds, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if code:
        raise RuntimeError(f"{command[2]} ended with {code}")
    cpu_seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(seconds, cpu_seconds, peak)


def _held(process: psutil.Process) -> int:
    """The bytes that a process and all that it started hold together."""
    held = 0
    with suppress(psutil.Error):
        for one in (process, *process.children(recursive=True)):
            with suppress(psutil.Error):
                held += one.memory_info().rss
    return held


def _queries(home: Path) -> list[str]:
    """What the pages ask when they are made from this database."""
    elsewhere.copy(proof.PROJECT, home, home / "diskbench.duckdb")
    log = home / "queries.jsonl"
    words, environment = making.pages(home)
    environment |= {"DISKBENCH_QUERY_LOG": str(log)}
    subprocess.run(words, env=os.environ | environment, stdout=subprocess.DEVNULL, check=True)
    # each once
    return list(dict.fromkeys(json.loads(line) for line in log.read_text().splitlines()))


def _asked(number: int, database: Path, queries: list[str], rounds: int) -> Iterator[Figure]:
    seconds = [_seconds(database, queries) for _ in range(rounds)]
    of = f"{number:,} records: "
    slowest = [max(of_round) for of_round in seconds]
    what = f"slowest of the {len(queries)} queries of the pages"
    yield proof.over_rounds(of + what, slowest, "s", GOAL_QUERY)
    medians = [statistics.median(of_round) for of_round in seconds]
    yield proof.over_rounds(of + "median of these queries", medians, "s")


def _seconds(database: Path, queries: list[str]) -> list[float]:
    """Seconds of each query, with all rows fetched, at the second run."""
    found = []
    with duckdb.connect(str(database), read_only=True) as connection:
        for query in queries:
            connection.execute(query).fetchall()
            began = time.perf_counter()
            connection.execute(query).fetchall()
            found.append(time.perf_counter() - began)
    return found
