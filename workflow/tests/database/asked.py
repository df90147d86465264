"""Databases that are made when a test asks them: one as `build` leaves it, and one of what is asked of alone."""

import contextlib
import functools
import re
from pathlib import Path

import duckdb

from database import load, published, records, run_intervals
from database.build import Folders, build

MADE = re.compile(r"^create (?:temp )?(?:table|view|macro) (\w+)", re.MULTILINE)
# as tables and macros are named; those of staging also in quotes
NAMED = re.compile(r"\b(?:from|join|table) (\w+)|(\w+)\(|\b(stg_\w+)")
QUERY_OF_ITS_OWN = re.compile(r"(\w+) as (?:materialized )?\(")
COMMENT = re.compile(r"--.*")
# Of what Python fills: what it reads, and where it puts it.
BY_PYTHON = {
    "speed_statistic": {"cell", "sample"},
    **{source: {"stg_run_interval"} for source in run_intervals.FILLS},
}


class Built:
    """The database that `build` makes of the records there are, made at the first question."""

    def __init__(self, folders: Folders) -> None:
        self.folders = folders
        self.opened: duckdb.DuckDBPyConnection | None = None

    def __call__(self, sql: str, *values: object) -> list[tuple]:
        if self.opened is None:
            build(self.folders)
            self.opened = duckdb.connect(str(self.folders.database), read_only=True)
        return self.opened.execute(sql, list(values)).fetchall()

    def close(self) -> None:
        if self.opened is not None:
            self.opened.close()


class Needed:
    """The same tables in memory, each made when a question names it or one made from it.

    Most tests ask of a few tables, and to make all takes longer than everything else that they do.
    """

    def __init__(self, folders: Folders) -> None:
        self.folders = folders
        self.closing = contextlib.ExitStack()
        self.opened: duckdb.DuckDBPyConnection | None = None
        self.made: set[Path] = set()

    def __call__(self, sql: str, *values: object) -> list[tuple]:
        if self.opened is None:
            self.opened = self.closing.enter_context(load.database(Path(":memory:")))
            accepted, refused = records.read(self.folders.runs, self.folders.schema)
            figures = published.read(self.folders.published)
            load.raw_tables(self.opened, figures, accepted, refused, runs=self.folders.runs)
        for file in needed(self.folders.sql, sql):
            if file not in self.made:
                load.make(self.opened, file)
                self.made.add(file)
        return self.opened.execute(sql, list(values)).fetchall()

    def close(self) -> None:
        self.closing.close()


def needed(folder: Path, sql: str) -> list[Path]:
    """The SQL files whose objects a question names, and all that those are made from, in order."""
    makers, named = _map(folder)
    found: set[Path] = set()
    waiting = _named(sql)
    while waiting:
        file = makers.get(waiting.pop())
        if file is not None and file not in found:
            found.add(file)
            waiting |= named[file]
    return sorted(found, key=lambda file: file.name)


@functools.cache
def _map(folder: Path) -> tuple[dict[str, Path], dict[Path, set[str]]]:
    """Which file makes an object, and what each file names."""
    makers: dict[str, Path] = {}
    named: dict[Path, set[str]] = {}
    for file in load.sql_files(folder):
        text = file.read_text(encoding="utf-8").partition(load.FIRST_COMMENT)[0]
        makers |= dict.fromkeys(MADE.findall(text), file)
        named[file] = _named(text) | BY_PYTHON.get(load.object_name(file), set())
    return makers, named


def _named(sql: str) -> set[str]:
    text = " ".join(COMMENT.sub("", sql).split())
    named = {name for names in NAMED.findall(text) for name in names if name}
    return named - set(QUERY_OF_ITS_OWN.findall(text))
