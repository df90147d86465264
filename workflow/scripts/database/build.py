"""Build the database beside the old one and swap it in when it is whole.

Hosts whose files are as they were when the old database was made keep their rows and their Parquet
files; the others are built anew, in batches. Where anything else changed, or it is not known what
the old one was made from, everything is. Both ways give the same rows and the same Parquet.

Everything is made in a folder of its own beside the database. Only when the last table and the last
Parquet file are there, each is synced and renamed into place. Whatever fails before that leaves the
old database as it was, and who has the old one open goes on reading it.
"""

import contextlib
import logging
import multiprocessing
import os
import shutil
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from database import batch, judged, load, losing, parquet, parts, published, sources, swap
from database.batch import Built, Input
from database.load import Connection
from database.sources import Host, MadeFrom

LOG = logging.getLogger(__name__)

# Each takes some hundred megabytes; more of them would wait for the one that puts it all together.
MOST_WORKERS = 4

# Of the process that puts it all together, beside Python's own.
MEMORY = "500MB"
MEMORY_ALONE = "1500MB"  # when the workers are gone

# Of the records' bytes; what is taken away leaves holes in a database.
MOSTLY_NEW = 2 / 3


@dataclass(frozen=True)
class Folders:
    """Where everything is read from and written to; `core` is the program, where there is one."""

    runs: Path
    published: Path
    sql: Path
    schema: Path
    database: Path
    parquet: Path
    core: Path | None = None


@dataclass(frozen=True)
class Outcome:
    """What a build did: records and tables that are there, hosts whose rows were made anew."""

    database: Path
    loaded: int
    refused: int
    tables: int
    hosts: int

    def __str__(self) -> str:
        refused = f", {self.refused} refused (table refused_record)" if self.refused else ""
        return f"{self.database}: {self.loaded} records{refused} in {self.tables} tables"


def build(folders: Folders) -> Outcome:
    """Read, check, load, compute, write and swap in; damaged records are left out (table
    `refused_record`)."""
    given = Input(
        folders.runs, folders.sql, folders.schema, folders.core, published.read(folders.published)
    )
    hosts = sources.hosts(folders.runs)
    if not hosts:
        losing.refuse_no_records(folders.runs, folders.database)
    rules = sources.rules(folders.published, folders.sql, folders.schema)
    rules += f" {judged.word(folders.core, folders.schema)}"
    before = _made_from(folders, rules, hosts)
    kept: set[str] = set()
    if before is None:
        due, gone, loaded = list(hosts.values()), [], {}
    else:
        same = {name for name, word in before.hosts.items() if _word(hosts, name) == word}
        due = [host for name, host in hosts.items() if name not in same]
        gone = sorted(set(before.hosts) - same)
        loaded = {name: before.loaded[name] for name in same}

    with swap.building_folder(folders.database) as building:
        database, files = building / "diskbench.duckdb", building / "parquet"
        files.mkdir()
        if before is None:
            _make(given, due, building, files, loaded)
            stale = None
        elif due or gone:
            shutil.copyfile(folders.database, database)
            stale = _mend(given, due, gone, building, files, loaded)
            kept = set(before.files) - set(stale)
        if not any(loaded.values()):
            losing.refuse_no_records(folders.runs, folders.database)
        if database.exists():
            written = kept | parquet.files(files)
            swap.replace_file(database, folders.database)
            swap.replace_files(files, folders.parquet, stale)
            words = {name: host.word for name, host in hosts.items()}
            head = sources.head(folders.database)
            states = {file: sources.state(folders.parquet / file) for file in sorted(written)}
            made_from = MadeFrom(rules, head, words, loaded, states)
            sources.write(folders.database, made_from)
    refused, tables = _counted(folders)
    return Outcome(folders.database, sum(loaded.values()), refused, tables, len(due))


def _made_from(folders: Folders, rules: str, hosts: dict[str, Host]) -> MadeFrom | None:
    """What the old database was made from; None where all of it has to be built anew."""
    before = sources.read(folders.database)
    if before is None or before.rules != rules:
        return None
    if not isinstance(before.files, dict):
        return None  # noted by an older diskbench, as names alone
    if any(sources.state(folders.parquet / file) != was for file, was in before.files.items()):
        return None
    size_bytes = sum(host.size_bytes for host in hosts.values())
    changed = sum(
        host.size_bytes for name, host in hosts.items() if before.hosts.get(name) != host.word
    )
    return before if changed <= MOSTLY_NEW * size_bytes or not before.hosts else None


def _word(hosts: dict[str, Host], name: str) -> str | None:
    return hosts[name].word if name in hosts else None


def _make(
    given: Input, hosts: list[Host], building: Path, files: Path, loaded: dict[str, int]
) -> None:
    """The database and all of Parquet, from nothing."""
    database = building / "diskbench.duckdb"
    waiting = list(batch.batches(hosts))
    if len(waiting) <= 1:
        # a study of one machine: what this batch makes is the database
        first = waiting[0] if waiting else []
        built = batch.build(given, first, building, files, comments=True)
        built.database.replace(database)
        loaded |= built.loaded
    else:
        _put_together(given, waiting, building, files, loaded)
    with load.database(database) as connection:
        connection.execute(f"set memory_limit = '{MEMORY_ALONE}'")
        connection.execute(f"set temp_directory = '{load.literal(building / 'spilt')}'")
        _conclude(connection, given)
        in_parts = parts.parted(connection)
        for table in in_parts:
            parquet.write_published(connection, table, files)
        for name in parts.whole(connection, in_parts):
            parquet.write_whole(connection, name, files)


def _put_together(
    given: Input, waiting: list[list[Host]], building: Path, files: Path, loaded: dict[str, int]
) -> None:
    """The database of several batches: what was published, and the rows of each batch's hosts."""
    database, nothing = building / "diskbench.duckdb", building / "published.duckdb"
    batch.published(given, building).replace(nothing)
    shutil.copyfile(nothing, database)
    with load.database(database) as connection, _attached(connection, nothing, "published"):
        # what is written already need not stay in memory too, which it would without a limit
        connection.execute(f"set memory_limit = '{MEMORY}'")
        connection.execute(f"set temp_directory = '{load.literal(building / 'spilt')}'")
        in_parts = parts.parted(connection)
        for built in _built(given, waiting, building, files):
            with _attached(connection, built.database, "batch"):
                batch.check_parts(connection, "batch", in_parts)
                parts.append(connection, in_parts, "batch")
            shutil.rmtree(built.database.parent)
            loaded |= built.loaded
        connection.execute(f"set memory_limit = '{MEMORY_ALONE}'")
        parts.fit_unmeasured(connection, "published")


def _mend(
    given: Input,
    due: list[Host],
    gone: list[str],
    building: Path,
    files: Path,
    loaded: dict[str, int],
) -> list[str]:
    """The rows of the hosts that are due anew, in the copy; gives the Parquet files of old ones."""
    with load.database(building / "diskbench.duckdb") as connection:
        in_parts = parts.parted(connection)
        figures = parts.figures(connection)
        parts.remove(connection, in_parts, gone)
        for built in _built(given, list(batch.batches(due)), building, files):
            with _attached(connection, built.database, "batch"):
                batch.check_parts(connection, "batch", in_parts)
                parts.append(connection, in_parts, "batch")
            loaded |= built.loaded
        parts.drop_unmeasured(connection)
        if parts.figures(connection) != figures:
            # some figure has lost the only host that had measured it
            nothing = batch.published(given, building)
            with _attached(connection, nothing, "published"):
                parts.fit_unmeasured(connection, "published")
        _conclude(connection, given)
        for table in in_parts:
            if table.name in parts.UNMEASURED:
                parquet.write_published(connection, table, files)
        for name in parts.GLOBAL:
            parquet.write_whole(connection, name, files)
    return [
        f"{parquet.of_host(table, host)}/{parquet.MEASURED}" for table in in_parts for host in gone
    ]


def _built(given: Input, batches: list[list[Host]], building: Path, files: Path) -> Iterator[Built]:
    """The batches in their order, several at a time where there are several."""
    waiting = deque(batches)
    LOG.info("%d batches of hosts to build", len(waiting))
    if len(waiting) <= 1:
        yield from (batch.build(given, one, building, files) for one in waiting)
        return
    workers = min(os.cpu_count() or 1, MOST_WORKERS, len(waiting))
    context = multiprocessing.get_context("spawn")
    running: deque[Future[Built]] = deque()
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        try:
            while waiting or running:
                # one more than are at work, so that none waits for the one that appends
                while waiting and len(running) <= workers:
                    running.append(
                        pool.submit(batch.build, given, waiting.popleft(), building, files)
                    )
                yield running.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def _conclude(connection: Connection, given: Input) -> None:
    """What is asked of all hosts together."""
    load.ask_last(connection, given.sql)


def _counted(folders: Folders) -> tuple[int, int]:
    """How many records were left out, each named in the log; how many tables there are."""
    with load.database(folders.database, read_only=True) as connection:
        refused = connection.execute("from refused_record order by path").fetchall()
        tables = len(load.tables(connection))
    for path, reason in refused:
        LOG.warning("refused %s: %s", path, reason)
    return len(refused), tables


@contextlib.contextmanager
def _attached(connection: Connection, database: Path, name: str) -> Iterator[None]:
    """Another database beside the one that is built."""
    connection.execute(f"attach '{load.literal(database)}' as {name} (read_only)")
    yield
    connection.execute(f"detach {name}")
