"""Build the database beside the old one and swap it in when it is whole.

Everything is made in a folder of its own beside the database. Only when the last table and the last
Parquet file are there, each is synced and renamed into place. Whatever fails before that leaves the
old database as it was, and who has the old one open goes on reading it.
"""

import logging
from dataclasses import dataclass
from pathlib import Path

import console
from database import load, parquet, published, records, swap

LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Folders:
    """Where everything is read from and written to."""

    runs: Path
    published: Path
    sql: Path
    schema: Path
    database: Path
    parquet: Path


@dataclass(frozen=True)
class Outcome:
    """What a build did."""

    database: Path
    loaded: int
    refused: int
    tables: int

    def __str__(self) -> str:
        refused = f", {self.refused} refused" if self.refused else ""
        return f"{self.database}: {self.loaded} records{refused} in {self.tables} tables"


def build(folders: Folders) -> Outcome:
    """Read, check, load, compute, write and swap in; damaged records are named and left out."""
    figures = published.read(folders.published)
    accepted, refused = records.read(folders.runs, folders.schema)
    for damage in refused:
        console.say(f"record {folders.runs / damage.path} was left out: {damage.reason}")
        LOG.warning("refused %s: %s", damage.path, damage.reason)
    LOG.info("%d records accepted, %d refused", len(accepted), len(refused))

    with swap.building_folder(folders.database) as building:
        database = building / "diskbench.duckdb"
        with load.new_database(database) as connection:
            load.raw_tables(connection, figures, accepted, refused)
            load.objects(connection, folders.sql)
            tables = load.tables(connection)
            files = [parquet.write(connection, table, building / "parquet") for table in tables]
        swap.replace_file(database, folders.database)
        swap.replace_folder(files, folders.parquet)
    return Outcome(folders.database, len(accepted), len(refused), len(tables))
