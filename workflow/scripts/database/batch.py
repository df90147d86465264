"""The tables of some hosts, made from their records alone by the same SQL as everything.

A batch is small enough for memory whatever the number of records. What comes of a host's records
does not depend on the batch that it is in.
"""

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from console import ExitCode, StudyError
from database import load, parquet, parts, records
from database.published import Figures
from database.sources import Host

# Text of records in one batch, a thousand of the study's; a process that makes all of them into
# tables holds some eight times as much.
BATCH_BYTES = 60_000_000


@dataclass(frozen=True)
class Input:
    """What all batches are made from."""

    runs: Path
    sql: Path
    schema: Path
    core: Path | None
    figures: Figures


@dataclass(frozen=True)
class Built:
    """A database with the rows of some hosts, and how many records of each are in it."""

    database: Path
    loaded: dict[str, int]


def batches(hosts: Iterable[Host], limit: int = BATCH_BYTES) -> Iterator[list[Host]]:
    """The hosts in their order, as many in a batch as fit; a host is never divided."""
    batch: list[Host] = []
    for host in hosts:
        if batch and sum(one.size_bytes for one in batch) + host.size_bytes > limit:
            yield batch
            batch = []
        batch.append(host)
    if batch:
        yield batch


def build(
    given: Input, hosts: list[Host], folder: Path, files: Path, *, comments: bool = False
) -> Built:
    """Make the tables of these hosts in a database in `folder`, and their Parquet in `files`.

    comments: with those on tables and columns, which rows that are added elsewhere do not need.
    """
    path = Path(tempfile.mkdtemp(dir=folder)) / "batch.duckdb"
    names = [name for host in hosts for name in host.files]
    accepted, refused = records.read(given.runs, given.schema, names, given.core)
    loaded = {host.name: 0 for host in hosts}
    for record in accepted:
        loaded[record.cell.partition("/")[0]] += 1
    with load.new_database(path) as connection:
        load.raw_tables(connection, given.figures, accepted, refused)
        del accepted
        load.objects(connection, given.sql, comments=comments)
        in_parts = parts.parted(connection)
        for table in in_parts:
            parquet.write_hosts(connection, table, files)
    return Built(path, loaded)


def published(given: Input, folder: Path) -> Path:
    """A database with every table, made without any record: only what was published is in it."""
    return build(given, [], folder, folder / "none", comments=True).database


def check_parts(connection: load.Connection, source: str, in_parts: list[parts.Parted]) -> None:
    """A table with rows of hosts that cannot be told by its columns is an error of the project."""
    for table in parts.whole(connection, in_parts):
        ours, theirs = (
            connection.execute(f'select count(*) from {place}"{table}"').fetchone()
            for place in ("", f"{source}.")
        )
        if ours != theirs and table not in parts.GLOBAL:
            raise StudyError(
                ExitCode.UNEXPECTED,
                f"the table {table} has rows of records, but no column that tells their host "
                "(workflow/scripts/database/parts.py); the old database stays",
            )
