"""Loads the input into a new database, object by object, in the order of the numbered SQL files.

Python puts the texts of records and CSV files into temporary `raw_` tables. SQL does the rest,
except for the tables that Python fills.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb

import strict_yaml
import vocabulary
import voucher
import withdrawn
from console import ExitCode, StudyError, is_full
from database import macos, published, rows, run_intervals, statistics
from database.published import Row
from database.records import Record, Refused
from study.config import read_protocol

# any DuckDB from 1.0 on opens it, also in the browser; 1.x cannot open 2.0's default
STORAGE_VERSION = "v1.0.0"

# one thread sums in a fixed order, so that the same input gives the same figures to the last bit
# no extension is fetched: all that is needed is built in
SETTINGS = {
    "threads": "1",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}

Connection = duckdb.DuckDBPyConnection

# the tables of input from records
OF_RECORDS = {
    "raw_record": ("cell", "record"),
    "raw_refused_record": ("path", "reason"),
    "raw_vouched": ("host", "release", "told"),
}

# comments of columns by name, for tables without their own
COLUMNS = "columns.yaml"
# tables with columns that may contain "unstated" or "any"
PUBLISHED = (
    "published_",
    "article_",
    "comparable_article",
    "conclusion_figure",
    "encryption_cost",
    "known_speed",
    "release_published",
)
# comments by ending, for columns beside one of the same name without the ending
ENDS = {"_low": "Lower end of the 95 % interval of ", "_high": "Upper end of the 95 % interval of "}
OVER_RUNS = " over runs; null with fewer than three"
# tables with intervals within one run, which do not cover other runs
OF_ONE_RUN = {"measured_speed": " within its run; null where there is none"}

FILLED_BY_PYTHON: dict[str, Callable[[Connection], None]] = {
    "speed_statistic": statistics.fill,
    **run_intervals.FILLS,
}

# the source tables of views, for comments of columns
MADE_FROM = {
    "comparable_article": ["article_table"],
    "comparable_article_size": ["article_size_table"],
    "comparable_size": ["container_size", "cell", "host"],
    "comparable_speed": ["repeated_speed", "host"],
    "known_speed": ["published_speed", "comparable_speed"],
}
# the table over all hosts, the last of the SQL files
OVER_ALL_HOSTS = "conclusion_evidence"
IN_MEMORY = Path(":memory:")


@dataclass(frozen=True)
class Input:
    """What tables are made from; `core` is the program that checks records, if built."""

    runs: Path
    published: Path
    sql: Path
    schema: Path
    probes: Path
    core: Path | None = None
    withdrawn: Path = withdrawn.FILE


@contextlib.contextmanager
def database(path: Path, read_only: bool = False) -> Iterator[Connection]:
    """A connection to the database file at `path`, which is created if missing and complete on
    exit; `IN_MEMORY` is no file."""
    connection = duckdb.connect(config=SETTINGS)
    # DuckDB's progress bar would go to stdout, even without a terminal
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
    connection: Connection, given: Input, accepted: list[Record], refused: list[Refused]
) -> None:
    """Create the tables with the input as text, for the staging queries."""
    figures = published.read(given.published)
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
    left_out = withdrawn.read(given.withdrawn)
    _text_table(connection, "raw_withdrawn_record", withdrawn.COLUMNS, left_out)
    _text_table(connection, "raw_state", ("protocol", "phase", "state"), _states())
    _text_table(connection, "raw_statement", macos.STATEMENT, macos.statements())
    _text_table(connection, "raw_probe", macos.PROBE, list(macos.verdicts(given.probes)))
    for name, columns in OF_RECORDS.items():
        _text_table(connection, name, columns, [])
    raw_records(connection, accepted, refused, given.runs)


def raw_records(
    connection: Connection, accepted: list[Record], refused: list[Refused], runs: Path
) -> None:
    """Add the records to their tables; `runs` contains the `vouched-by` files."""
    releases = sorted({tuple(record.cell.split("/")[:2]) for record in accepted})
    rows.insert(connection, "raw_record", [(record.cell, record.text) for record in accepted])
    rows.insert(connection, "raw_refused_record", [(one.path, one.reason) for one in refused])
    rows.insert(connection, "raw_vouched", [(*one, voucher.of(runs, *one)) for one in releases])


def _states() -> list[Row]:
    """The states at which each phase of each protocol inspects its image."""
    return [
        {"protocol": protocol, "phase": phase["phase"], "state": step["state"]}
        for protocol in vocabulary.PROTOCOLS
        for phase in read_protocol(protocol)["phases"]
        for step in phase["steps"]
        if step["step"] == "measure"
    ]


def objects(connection: Connection, folder: Path) -> None:
    """Create the objects of the SQL files in a folder, but not the table over all hosts."""
    for file in sql_files(folder):
        if object_name(file) != OVER_ALL_HOSTS:
            make(connection, file)


def over_all_hosts(connection: Connection, folder: Path) -> None:
    """Create the table over all hosts from the others, and comment the columns of every object."""
    make(connection, sql_file(folder, OVER_ALL_HOSTS))
    _describe(connection, strict_yaml.read_yaml(folder / COLUMNS))


def sql_files(folder: Path) -> list[Path]:
    """The SQL files in numeric order; each is named after its object."""
    files = sorted(folder.glob("*/[0-9]*.sql"), key=lambda file: file.name)
    if not files:
        raise StudyError(
            ExitCode.BAD_INPUT, f"no SQL files in {folder}; name the folder with --sql"
        )
    return files


def sql_file(folder: Path, name: str) -> Path:
    """The SQL file of this object."""
    [file] = (file for file in sql_files(folder) if object_name(file) == name)
    return file


def make(connection: Connection, file: Path) -> None:
    """Create the object of one SQL file from the existing ones."""
    sql = file.read_text(encoding="utf-8")
    try:
        # one transaction for all comments of a file instead of one each
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
    if fill := FILLED_BY_PYTHON.get(object_name(file)):
        fill(connection)


def _describe(connection: Connection, meanings: dict[str, dict[str, str]]) -> None:
    """Comment columns that have no comment: as in the view's tables, or by name."""
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
    """The object of a file: `21_sample.sql` makes `sample`."""
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
    """Lines as a table of texts; an empty text becomes null."""
    columns = list(columns)
    connection.execute(
        f"create temp table {name} ({', '.join(f'{column} varchar' for column in columns)})"
    )
    told = [tuple(line.get(column) or None for column in columns) for line in lines]
    rows.insert(connection, name, told)


def literal(words: Path | str) -> str:
    """A text escaped for the quotes of an SQL literal."""
    return str(words).replace("'", "''")
