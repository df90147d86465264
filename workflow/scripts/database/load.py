"""Load what was read into a new database, object by object, in the order of the numbered SQL files.

Python puts the text of the records and of the CSV files into `raw_` tables of the connection's own
(they are gone with it); SQL does the rest, but for the tables that Python fills.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import duckdb

import strict_yaml
import vocabulary
import voucher
from console import ExitCode, StudyError, is_full
from database import macos, published, rows, run_intervals, statistics
from database.published import Figures, Row
from database.records import Record, Refused
from probe.taking_in.filing import PROBES
from study.config import read_protocol

# Any DuckDB from 1.0 on opens it, the one in the browser included; the default of 2.0 no 1.x can.
STORAGE_VERSION = "v1.0.0"

# One thread adds up in one order, so that the same input gives the same figures to the last bit.
# No extension is fetched: what this build needs is inside.
SETTINGS = {
    "threads": "1",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}

Connection = duckdb.DuckDBPyConnection

FIRST_COMMENT = "\ncomment on "

# The tables of what was read of records.
OF_RECORDS = {
    "raw_record": ("cell", "record"),
    "raw_refused_record": ("path", "reason"),
    "raw_vouched": ("host", "release", "told"),
}

# What columns of one name mean in every table that does not say it itself.
COLUMNS = "columns.yaml"
# The tables whose columns may say "unstated" or "any".
PUBLISHED = (
    "published_",
    "article_",
    "conclusion_figure",
    "encryption_cost",
    "release_published",
)
# Of a column beside one of its name without the end.
ENDS = {"_low": "Lower end of the 95 % interval of ", "_high": "Upper end of the 95 % interval of "}
OVER_RUNS = " over runs; null with fewer than three"
# These intervals are of one run: what other runs would give they do not cover.
OF_ONE_RUN = {"measured_speed": " within its run; null where there is none"}

FILLED_BY_PYTHON: dict[str, Callable[[Connection], None]] = {
    "speed_statistic": statistics.fill,
    **run_intervals.FILLS,
}

# The tables that a view is made from: what it leaves unsaid of a column, they say.
MADE_FROM = {
    "comparable_article": ["article_table"],
    "comparable_article_size": ["article_size_table"],
    "comparable_size": ["container_size", "cell"],
    "comparable_speed": ["repeated_speed"],
    "known_speed": ["published_speed", "comparable_speed"],
}
# Asked of all hosts together, the last of all, by the query of its own SQL file.
ASKED_LAST = "conclusion_evidence"


@contextlib.contextmanager
def database(path: Path, read_only: bool = False) -> Iterator[Connection]:
    """A connection whose tables are those of the file at `path`, which is made if need be, and is
    whole when this ends."""
    connection = duckdb.connect(config=SETTINGS)
    # it goes to stdout, terminal or not
    connection.execute("set enable_progress_bar = false")
    how = "read_only" if read_only else f"storage_version '{STORAGE_VERSION}'"
    try:
        connection.execute(f"attach '{literal(path)}' as diskbench ({how})")
        connection.execute("use diskbench")
        yield connection
        connection.execute("use memory")
        connection.execute("detach diskbench")
    finally:
        connection.close()


def raw_tables(
    connection: Connection,
    figures: Figures,
    accepted: list[Record],
    refused: list[Refused],
    probes: Path = PROBES,
    runs: Path | None = None,
) -> None:
    """The input as it was read, as text, for the staging queries.

    `runs` has the files that say who vouches for records; without it all are the project's own.
    """
    for file in published.FILES:
        _text_table(connection, f"raw_{file.table}", file.columns, figures[file.name])
    for name, columns, lines in (
        ("host", ("name", "chip", "source", "note"), vocabulary.HOSTS),
        ("reason", ("words", "few"), vocabulary.REASONS),
    ):
        known = [{"code": code, **line} for code, line in lines.items()]
        _text_table(connection, f"raw_{name}", ("code", *columns), known)
    said = [{"code": code, "pattern": pattern} for code, pattern in vocabulary.WARNINGS.items()]
    _text_table(connection, "raw_warning", ("code", "pattern"), said)
    _text_table(connection, "raw_state", ("protocol", "phase", "state"), _states())
    _text_table(connection, "raw_statement", macos.STATEMENT, macos.statements())
    _text_table(connection, "raw_probe", macos.PROBE, list(macos.verdicts(probes)))
    for name, columns in OF_RECORDS.items():
        _text_table(connection, name, columns, [])
    raw_records(connection, accepted, refused, runs)


def raw_records(
    connection: Connection, accepted: list[Record], refused: list[Refused], runs: Path | None
) -> None:
    """Add the records to their tables."""
    releases = sorted({tuple(record.cell.split("/")[:2]) for record in accepted}) if runs else []
    rows.insert(connection, "raw_record", [(record.cell, record.text) for record in accepted])
    rows.insert(connection, "raw_refused_record", [(one.path, one.reason) for one in refused])
    rows.insert(connection, "raw_vouched", [(*one, voucher.of(runs, *one)) for one in releases])


def _states() -> list[Row]:
    """The states in which each phase of each protocol looks at its image."""
    return [
        {"protocol": protocol, "phase": phase["phase"], "state": step["state"]}
        for protocol in vocabulary.PROTOCOLS
        for phase in read_protocol(protocol)["phases"]
        for step in phase["steps"]
        if step["step"] == "measure"
    ]


def objects(connection: Connection, folder: Path) -> None:
    """Make every object of the SQL files in a folder, and say what its columns are."""
    for file in sql_files(folder):
        make(connection, file)
    _describe(connection, strict_yaml.read_yaml(folder / COLUMNS))


def sql_files(folder: Path) -> list[Path]:
    """The SQL files in the order of their numbers; each is named for the object it makes."""
    files = sorted(folder.glob("*/[0-9]*.sql"), key=lambda file: file.name)
    if not files:
        raise StudyError(
            ExitCode.BAD_INPUT, f"no SQL files in {folder}; name the folder with --sql"
        )
    return files


def sql_file(folder: Path, name: str) -> Path:
    """The SQL file that makes an object of this name."""
    [file] = (file for file in sql_files(folder) if object_name(file) == name)
    return file


def make(connection: Connection, file: Path) -> None:
    """Make the object of one SQL file, from those that are there."""
    sql = file.read_text(encoding="utf-8")
    try:
        # one transaction for all comments of a file, else each would be one
        connection.begin()
        connection.execute(sql)
        connection.commit()
    except duckdb.Error as error:
        if is_full(error):
            raise
        raise StudyError(
            ExitCode.UNEXPECTED,
            f"{file} failed ({str(error).partition(chr(10))[0]}); the old database is kept; "
            "do the schema of records and the SQL files belong together?",
        ) from error
    _fill(connection, file)


def make_anew(connection: Connection, file: Path) -> None:
    """Make the rows of one SQL file's table anew, from what is in the others by now."""
    name = object_name(file)
    sql = file.read_text(encoding="utf-8").partition(FIRST_COMMENT)[0]
    _, made, query = sql.partition(f"table {name} as\n")
    connection.execute(f"delete from {name}")
    if made:
        connection.execute(f"insert into {name} {query}")
    _fill(connection, file)


def _fill(connection: Connection, file: Path) -> None:
    if fill := FILLED_BY_PYTHON.get(object_name(file)):
        fill(connection)


def _describe(connection: Connection, meanings: dict[str, dict[str, str]]) -> None:
    """Give columns without a comment of their own that of their view's tables or of their name."""
    columns = connection.execute(
        "select table_name, column_name, comment from duckdb_columns() "
        "where database_name = current_database()"
    ).fetchall()
    said = {(table, column): words for table, column, words in columns if words}
    connection.begin()
    for table, column, words in columns:
        found = [said.get((of, column)) for of in MADE_FROM.get(table, [])]
        found += [
            f"{meaning}{column.removesuffix(end)}{OF_ONE_RUN.get(table, OVER_RUNS)}"
            for end, meaning in ENDS.items()
            if column.endswith(end)
        ]
        found += [meanings["published"].get(column)] if table.startswith(PUBLISHED) else []
        meaning = next(filter(None, [*found, meanings["any"].get(column)]), None)
        if not words and meaning:
            connection.execute(f"comment on column {table}.\"{column}\" is '{literal(meaning)}'")
    connection.commit()


def object_name(file: Path) -> str:
    """The object that a file makes: `21_sample.sql` makes `sample`."""
    return file.stem.partition("_")[2]


def tables(connection: Connection) -> list[str]:
    """The tables of the new database, by name."""
    named = connection.execute(
        "select table_name from duckdb_tables() where database_name = 'diskbench' order by all"
    ).fetchall()
    return [name for (name,) in named]


def _text_table(
    connection: Connection, name: str, columns: Iterable[str], lines: list[Row]
) -> None:
    """Lines as a table of texts; an empty text says nothing and becomes null."""
    columns = list(columns)
    connection.execute(
        f"create temp table {name} ({', '.join(f'{column} varchar' for column in columns)})"
    )
    told = [tuple(line.get(column) or None for column in columns) for line in lines]
    rows.insert(connection, name, told)


def literal(words: Path | str) -> str:
    """A path or other words as they stand between the quotes of an SQL text."""
    return str(words).replace("'", "''")
