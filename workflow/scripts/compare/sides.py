"""Finds the records of A and B: of a host, a release, or a folder."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import duckdb

from arguments import typed_path
from console import ExitCode, StudyError
from contribution.check import place_of
from database import load, sources
from database.sources import Host
from places import SQL
from record import RUNS
from record_files import is_record

# arguments of unset variables in scripts, and folders that cannot be a side
NOTHING = ("", ".", "..")

# hosts that fit on the line of possible names
MOST_NAMED = 6


@dataclass(frozen=True)
class Side:
    """The records of one side: files below `runs`, by host."""

    word: str
    runs: Path
    hosts: tuple[Host, ...]


def find(word: str) -> Side:
    """The side of an argument. Raises StudyError (bad input) with the possible names."""
    found = _measured_here(word)
    if found and word not in NOTHING:
        return found
    if word in NOTHING or not (folder := typed_path(word)).is_dir():
        raise StudyError(
            ExitCode.BAD_INPUT, f"'{word}' is not a host, release or folder: {_there()}"
        )
    folder = folder.resolve()
    place = place_of(folder)
    if folder in place.parents:
        return _below(word, place, "")
    return _below(word, place, "" if folder == place else folder.relative_to(place).as_posix())


def _measured_here(word: str) -> Side | None:
    """The records of HOST, HOST/RELEASE or RELEASE in data/runs.

    RELEASE is a folder, a version, or a name as pages print it.
    """
    if (RUNS / word).resolve().parent == RUNS.resolve() and (RUNS / word).is_dir():
        return _below(word, RUNS, word)
    host, _, release = word.rpartition("/")
    if not release or "/" in host:
        return None
    chosen = [
        one
        for every in sources.hosts(RUNS).values()
        if host in ("", every.name)
        and (one := _only(every, lambda file: _is_release(file.split("/")[1], release)))
    ]
    return Side(word, RUNS, tuple(chosen)) if chosen else None


def _is_release(folder: str, word: str) -> bool:
    return word in (folder, *folder.split("-")[1:2], *_names(folder))


@cache
def _names(folder: str) -> tuple[str, ...]:
    """The names of a release of macOS on pages: `26.4 beta`, `26.4 beta (25E5207k)`."""
    system, *rest = folder.split("-", 2)
    if system != "macos" or len(rest) < 2:
        return ()
    with duckdb.connect() as connection:
        load.make(connection, load.sql_file(SQL, "same_macos"))
        [(name,)] = connection.execute("select macos_name(?, ?)", rest).fetchall()
    return name, f"{name} ({rest[1]})"


def _only(host: Host, fits) -> Host | None:
    files = tuple(file for file in host.files if file.count("/") > 1 and fits(file))
    # the size of each host is not known without searching again
    return Host(host.name, files, host.size_bytes, host.word) if files else None


def _below(word: str, runs: Path, start: str) -> Side:
    """Everything below a folder of the runs folder."""
    inside = f"{start}/" if start else ""
    chosen = [
        one
        for every in sources.hosts(runs).values()
        if (one := _only(every, lambda file: file.startswith(inside) and is_record(file)))
    ]
    if not chosen:
        raise StudyError(
            ExitCode.BAD_INPUT,
            f"there is no record in {word}: name a host, a release, or a folder of records as "
            "diskbench left them in data/runs",
        )
    return Side(word, runs, tuple(chosen))


def _there() -> str:
    """The possible names, in one line."""
    names = list(sources.hosts(RUNS))
    if not names:
        return "nothing has been measured here yet"
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"there are {', '.join(names[:MOST_NAMED])}{more}"
