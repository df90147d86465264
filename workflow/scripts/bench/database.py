"""What the database takes at scale: `bash workflow/bench.sh database [RECORDS ...] [--save]`.

Made-up records (bench.made_up), 320 files each, of a hundred cells a host, are loaded into a
new database; then one of them is taken away, brought back, and loaded again. Then every query that
the pages ask is asked once more. Time is that of the whole command, memory that of all its
processes at one moment.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb

from arguments import Parser, whole_number, writable_folder
from bench import made_up
from bench.proof import PROJECT, Figure, save

SIZES = (1_000, 10_000, 100_000)
SAMPLES_PER_SECOND = 200_000
PEAK_BYTES = 2_000_000_000
UPDATE_SECONDS = 2.0
QUERY_SECONDS = 1.0
ROUNDS = 3
CORE = PROJECT / "core" / "target" / "release" / "diskbench"


@dataclass(frozen=True)
class Cost:
    """What a command took: wall and processor time in seconds, memory of all its processes."""

    seconds: float
    cpu_seconds: float
    peak_bytes: int


def main(words: list[str]) -> None:
    """Print the figures of each number of records, and keep them when asked to."""
    parser = Parser(prog="bash workflow/bench.sh database", description=__doc__)
    parser.add_argument("records", nargs="*", type=whole_number, default=SIZES)
    parser.add_argument("--folder", type=writable_folder, help="where records are made: 54 kB each")
    parser.add_argument("--save", action="store_true", help="keep the figures for the site")
    asked = parser.parse_args(words)
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        queries: list[str] = []
        for number in sorted(asked.records):
            home = Path(folder) / str(number)
            made_up.write(home / "runs", number)
            figures += _measured(number, home)
            queries = queries or _queries(home)
            if queries:
                figures += _asked(number, home / "diskbench.duckdb", queries)
            shutil.rmtree(home)
    if asked.save:
        numbers = "" if asked.records is SIZES else "".join(f" {one}" for one in asked.records)
        command = f"bash workflow/bench.sh database{numbers} --save"
        save("database", "The database at scale, with made-up records", command, figures)


def _measured(number: int, home: Path) -> list[Figure]:
    new = build(home)
    samples = number * made_up.SAMPLES
    database = (home / "diskbench.duckdb").stat().st_size
    files = sum(file.stat().st_size for file in (home / "parquet").rglob("*.parquet"))
    late = sorted((home / "runs").rglob("*.json"))[number // 2]
    updates = []
    for _ in range(ROUNDS):
        aside = late.rename(home / "late.json")
        build(home)
        aside.rename(late)
        updates.append(build(home))
    seconds = [one.seconds for one in updates]
    rate = samples / new.seconds
    of = f"{number:,} records: "
    figures = [
        Figure(of + "all of them into a new database", new.seconds, "s"),
        Figure(of + "processor time for that", new.cpu_seconds, "s"),
        Figure(
            of + "files measured, loaded in a second", rate, "1/s",
            goal=f">= {SAMPLES_PER_SECOND:,} 1/s", reached=rate >= SAMPLES_PER_SECOND,
        ),
        Figure(
            of + "memory, at most", new.peak_bytes, "bytes",
            goal=f"<= {PEAK_BYTES / 1e9:.0f} GB", reached=new.peak_bytes <= PEAK_BYTES,
        ),
        Figure(of + "the database", database, "bytes"),
        Figure(of + "the Parquet files", files, "bytes"),
        Figure(
            of + "one record more", statistics.median(seconds), "s", min(seconds), max(seconds),
            goal=f"<= {UPDATE_SECONDS:.0f} s",
            reached=statistics.median(seconds) <= UPDATE_SECONDS,
        ),
        Figure(
            of + "processor time for that", statistics.median(one.cpu_seconds for one in updates),
            "s",
        ),
    ]  # fmt: skip
    _show(figures)
    return figures


def build(home: Path) -> Cost:
    """Build what lies in `home`, as the workflow does."""
    return cost([
        sys.executable, "-m", "database", "build",
        "--runs", home / "runs",
        "--published", PROJECT / "data" / "published",
        "--sql", PROJECT / "workflow" / "sql",
        "--schema", PROJECT / "workflow" / "schemas" / "record.schema.json",
        "--core", CORE,
        "--database", home / "diskbench.duckdb",
        "--parquet", home / "parquet",
    ])  # fmt: skip


def cost(command: list) -> Cost:
    """Run a command that must end well."""
    began = time.monotonic()
    with subprocess.Popen([str(word) for word in command], stderr=subprocess.DEVNULL) as process:
        peak = [0]
        ended = threading.Event()
        watch = threading.Thread(target=_watch, args=(process.pid, peak, ended))
        watch.start()
        # waited for here and not by Popen, which would not give the usage of this one child
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - began
        ended.set()
        watch.join()
    if process.returncode != 0:
        raise RuntimeError(f"{command[2]} ended with {process.returncode}")
    return Cost(seconds, usage.ru_utime + usage.ru_stime, peak[0])


def _watch(pid: int, peak: list[int], ended: threading.Event) -> None:
    """Look five times a second at what a process and all that it started hold together."""
    while not ended.wait(0.2):
        listed = subprocess.run(
            ["ps", "-A", "-o", "pid=,ppid=,rss="], capture_output=True, text=True, check=False
        )
        lines = [tuple(map(int, line.split())) for line in listed.stdout.splitlines()]
        family = {pid}
        for one, parent, _ in sorted(lines):
            if parent in family:
                family.add(one)
        peak[0] = max(peak[0], 1024 * sum(rss for one, _, rss in lines if one in family))


def _queries(home: Path) -> list[str]:
    """What the pages ask when they are made from this database."""
    left_out = shutil.ignore_patterns("_site", ".quarto", "__pycache__", "downloads", "engine")
    for part in ("reports", "workflow", "data/proofs"):
        if (PROJECT / part).is_dir():
            shutil.copytree(PROJECT / part, home / "site" / part, ignore=left_out)
    for file in [*PROJECT.glob("*.md"), *PROJECT.glob("*.cff")]:
        shutil.copyfile(file, home / "site" / file.name)
    log = home / "queries.jsonl"
    subprocess.run(
        [
            sys.executable, "-m", "publish",
            "--reports", str(home / "site" / "reports"), "--renderer", "plain",
        ],
        env=os.environ
        | {"DISKBENCH_DATABASE": str(home / "diskbench.duckdb"), "DISKBENCH_QUERY_LOG": str(log)},
        stdout=subprocess.DEVNULL,
        check=True,
    )  # fmt: skip
    return read_queries(log)


def read_queries(log: Path) -> list[str]:
    """Each query of a log once, in its order."""
    return list(dict.fromkeys(json.loads(line) for line in log.read_text().splitlines()))


def _asked(number: int, database: Path, queries: list[str]) -> list[Figure]:
    seconds = asked(database, queries)
    of = f"{number:,} records: "
    slowest = max(seconds)
    figures = [
        Figure(
            of + f"the slowest of the {len(queries)} queries of the pages", slowest, "s",
            goal=f"<= {QUERY_SECONDS:.0f} s", reached=slowest <= QUERY_SECONDS,
        ),
        Figure(of + "their median", statistics.median(seconds), "s"),
    ]  # fmt: skip
    _show(figures)
    return figures


def asked(
    database: Path, queries: list[str], clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Seconds that each query takes, all of its rows fetched, at the second time of asking."""
    found = []
    with duckdb.connect(str(database), read_only=True) as connection:
        for query in queries:
            connection.execute(query).fetchall()
            began = clock()
            connection.execute(query).fetchall()
            found.append(clock() - began)
    return found


def _show(figures: list[Figure]) -> None:
    for figure in figures:
        value = figure.value / 1e6 if figure.unit == "bytes" else figure.value
        unit = "MB" if figure.unit == "bytes" else figure.unit
        spread = f" ({figure.low:,.2f} to {figure.high:,.2f})" if figure.low is not None else ""
        goal = f"   goal {figure.goal}: {'reached' if figure.reached else 'missed'}"
        print(
            f"{figure.what:60} {value:12,.2f} {unit}{spread}{goal if figure.goal else ''}",
            flush=True,
        )
