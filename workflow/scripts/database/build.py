"""Builds the database beside the old one and swaps it in when complete.

Each host's records become Parquet files of that host, and the database is assembled from those of
all hosts, whether one record is new or all are. Hosts with unchanged records, rules and Parquet
are not computed again.

Everything is made in a temporary folder beside the database. When all tables and Parquet files
exist, each is synced and renamed into place. A failure before that leaves the old database
unchanged, and a reader that has it open can continue.
"""

import contextlib
import logging
import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import withdrawn
from console import say
from database import batch, judged, load, losing, parquet, parts, sources, swap
from database.batch import Built
from database.load import Connection, Input
from database.sources import Host, MadeFrom
from record_files import state

LOG = logging.getLogger(__name__)

# processes; each needs some hundred megabytes
MOST_WORKERS = 4

# memory of the assembling process, besides Python's
MEMORY = "1500MB"


@dataclass(frozen=True, kw_only=True)
class Folders(Input):
    """The input, and where the database and the Parquet files are put."""

    database: Path
    parquet: Path


@dataclass(frozen=True)
class Outcome:
    """The result of a build: numbers of records and tables, and the recomputed hosts."""

    database: Path
    loaded: int
    refused: int
    tables: int
    hosts: int

    def __str__(self) -> str:
        refused = f", {self.refused} refused (table refused_record)" if self.refused else ""
        return f"{self.database}: {self.loaded} records{refused} in {self.tables} tables"


def build(folders: Folders) -> Outcome:
    """Read, check, compute, assemble and swap in; damaged records are left out (table
    `refused_record`)."""
    # even without changes: a build may have been killed after its last step
    swap.sweep(folders.database)
    hosts = sources.hosts(folders.runs, folders.withdrawn)
    rules = sources.rules(
        folders.published, folders.sql, folders.schema, folders.probes, folders.withdrawn
    )
    rules += f" {judged.word(folders.core, folders.schema)}"
    words = {name: host.word for name, host in hosts.items()}
    before = sources.read(folders.database)
    loaded = _kept(folders, before, rules, words)
    due = [host for name, host in hosts.items() if name not in loaded]
    if due or not sources.is_as_made(before, folders.database, folders.parquet, rules, words):
        with swap.building_folder(folders.database) as building:
            files = building / "parquet"
            kept = (
                {file for file in before.files if parquet.host_of(file) in loaded}
                if before
                else set()
            )
            others = {folders.parquet: [*loaded]}
            database = building / "diskbench.duckdb"
            with _computed(folders, due, database, files, loaded) as built:
                if not any(loaded.values()):
                    losing.refuse_no_records(folders.runs, folders.database)
                others[files] = [host.name for host in due if host.name not in built.loaded]
                _put_together(folders, built.connection, others, files)
            swap.replace_file(database, folders.database)
            written = kept | parquet.files(files)
            swap.replace_files(files, folders.parquet, kept)
            states = {file: state(folders.parquet / file) for file in sorted(written)}
            sources.write(
                folders.database, MadeFrom(rules, state(folders.database), words, loaded, states)
            )
    if before is not None:
        losing.report_fewer(before.loaded, loaded)
    for name in withdrawn.without_effect(folders.runs, folders.withdrawn):
        say(
            f"{folders.withdrawn}: the file of {name} has another SHA-256, so this record counts: "
            "correct the line, unless its cell was measured again"
        )
    refused, tables = _counted(folders)
    return Outcome(folders.database, sum(loaded.values()), refused, tables, len(due))


def _kept(
    folders: Folders, before: MadeFrom | None, rules: str, words: dict[str, str]
) -> dict[str, int]:
    """The hosts whose Parquet is still valid, with their numbers of records."""
    if before is None or before.rules != rules:
        return {}
    spoilt = {
        parquet.host_of(file)
        for file, was in before.files.items()
        if state(folders.parquet / file) != was
    }
    return {
        name: before.loaded[name]
        for name, word in before.hosts.items()
        if words.get(name) == word and name not in spoilt
    }


@contextlib.contextmanager
def _computed(
    given: Input, hosts: list[Host], database: Path, files: Path, loaded: dict[str, int]
) -> Iterator[Built]:
    """Make the Parquet of these hosts, and a database of the first batch, to add the others to.

    The tables of each batch include the published figures.
    """
    first, *others = list(batch.batches(hosts)) or [[]]
    LOG.info("%d hosts to compute, in %d batches", len(hosts), len(others) + 1)
    workers = max(1, min(os.cpu_count() or 1, MOST_WORKERS, len(others)))
    with contextlib.ExitStack() as stack:
        with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
            try:
                running = [pool.submit(_parquet_alone, given, one, files) for one in others]
                built = stack.enter_context(batch.build(given, first, database, files))
                loaded |= built.loaded
                for one in running:
                    loaded |= one.result()
            finally:
                pool.shutdown(cancel_futures=True)
        yield built


def _parquet_alone(given: Input, hosts: list[Host], files: Path) -> dict[str, int]:
    with batch.build(given, hosts, load.IN_MEMORY, files) as built:
        return built.loaded


def _put_together(
    given: Input, connection: Connection, hosts: dict[Path, list[str]], files: Path
) -> None:
    """Add the rows of these hosts from their Parquet, make the tables over all hosts, and write the
    Parquet of published rows."""
    connection.execute(f"set memory_limit = '{MEMORY}'")
    connection.execute(f"set temp_directory = '{load.literal(files.parent / 'spilt')}'")
    in_parts = parts.parted(connection)
    for folder, names in hosts.items():
        for table in in_parts:
            parquet.read_hosts(connection, table, folder, names)
    parts.drop_unmeasured(connection)
    load.over_all_hosts(connection, given.sql)
    for table in in_parts:
        parquet.write_published(connection, table, files)
    for name in parts.whole(connection, in_parts):
        parquet.write_whole(connection, name, files)


def _counted(folders: Folders) -> tuple[int, int]:
    """Count refused records, naming each in the log, and tables."""
    with load.database(folders.database, read_only=True) as connection:
        refused = connection.execute("from refused_record order by path").fetchall()
        tables = len(load.tables(connection))
    for path, reason in refused:
        LOG.warning("refused %s: %s", path, reason)
    return len(refused), tables
