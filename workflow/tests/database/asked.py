"""One database without records for all tests; each test's additions are rolled back."""

import contextlib
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import duckdb

from database import load, records, run_intervals
from database.build import Folders
from record_files import below

FIRST_COMMENT = "\ncomment on "
MADE = re.compile(r"^create (?:temp )?(?:table|view|macro) (\w+)", re.MULTILINE)
TABLE = re.compile(r"^create (?:temp )?table", re.MULTILINE)
# as tables and macros are named; those of staging also in quotes
NAMED = re.compile(r"\b(?:from|join|table) (\w+)|(\w+)\(|\b(stg_\w+)")
QUERY_OF_ITS_OWN = re.compile(r"(\w+) as (?:materialized )?\(")
COMMENT = re.compile(r"--.*")
# Of what Python fills: what it reads, and where it puts it.
BY_PYTHON = {
    "speed_statistic": {"cell", "sample"},
    **{source: {"stg_run_interval"} for source in run_intervals.FILLS},
}


@contextlib.contextmanager
def asking(connection: duckdb.DuckDBPyConnection, folders: Folders) -> Iterator["Asked"]:
    """Questions to the records that are saved there; they are gone afterwards."""
    connection.begin()
    yield Asked(connection, folders)
    connection.rollback()


def read_all(
    runs: Path, schema: Path, core: Path | None = None
) -> tuple[list[records.Record], list[records.Refused]]:
    """The records in all files below `runs`."""
    return records.read(runs, schema, [file.name for file in below(runs)], core)


class Asked:
    """Reads the records saved so far at the first question; each question makes what it asks of.

    Most tests ask of a few tables, and to make all takes longer than everything else that they do.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, folders: Folders) -> None:
        self.connection = connection
        self.folders = folders
        self.made: set[Path] | None = None

    def __call__(self, sql: str, *values: object) -> list[tuple]:
        if self.made is None:
            self.made = set()
            accepted, refused = read_all(self.folders.runs, self.folders.schema)
            load.raw_records(self.connection, accepted, refused, self.folders.runs)
            self.measured = bool(accepted or refused)
        if self.measured:
            self.make(sql)
        return self.connection.execute(sql, list(values)).fetchall()

    def make(self, sql: str) -> None:
        """Make anew what a question names, and what that is made from."""
        for file in needed(self.folders.sql, sql):
            if file not in self.made:
                make_anew(self.connection, file)
                self.made.add(file)


def make_anew(connection: duckdb.DuckDBPyConnection, file: Path) -> None:
    """Replace the rows of one SQL file's table, from the current rows of the others."""
    name = load.object_name(file)
    sql = file.read_text(encoding="utf-8").partition(FIRST_COMMENT)[0]
    _, made, query = sql.partition(f"table {name} as\n")
    connection.execute(f"delete from {name}")
    if made:
        connection.execute(f"insert into {name} {query}")
    if fill := load.FILLED_BY_PYTHON.get(name):
        fill(connection)


def needed(folder: Path, sql: str) -> list[Path]:
    """The SQL files of tables of records that a question names, or that those are made from, in order."""
    makers, named = _map(folder)
    found: set[Path] = set()
    waiting = _named(sql)
    while waiting:
        file = makers.get(waiting.pop())
        if file is not None and file not in found:
            found.add(file)
            waiting |= named[file]
    return sorted(found & _of_records(folder), key=lambda file: file.name)


@functools.cache
def _map(folder: Path) -> tuple[dict[str, Path], dict[Path, set[str]]]:
    """Which file makes an object, and what each file names."""
    makers: dict[str, Path] = {}
    named: dict[Path, set[str]] = {}
    for file in load.sql_files(folder):
        text = file.read_text(encoding="utf-8").partition(FIRST_COMMENT)[0]
        makers |= dict.fromkeys(MADE.findall(text), file)
        named[file] = _named(text) | BY_PYTHON.get(load.object_name(file), set())
    return makers, named


@functools.cache
def _of_records(folder: Path) -> set[Path]:
    """Those with a table whose rows come from records."""
    makers, named = _map(folder)
    found, names = set(), {*load.OF_RECORDS}
    for file in load.sql_files(folder):
        if named[file] & names:
            found.add(file)
            names |= {name for name, maker in makers.items() if maker == file}
    return {file for file in found if TABLE.search(file.read_text(encoding="utf-8"))}


def _named(sql: str) -> set[str]:
    text = " ".join(COMMENT.sub("", sql).split())
    named = {name for names in NAMED.findall(text) for name in names if name}
    return named - set(QUERY_OF_ITS_OWN.findall(text))
