"""Shared fixtures of the database's tests: SQL, schema, figures and synthetic records."""

import functools
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import made_up
import pytest
from asked import asking
from conclusion_world import World

from database import load
from database.build import Folders, build

PROJECT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def project_folders() -> Callable[[Path], Folders]:
    """The project's own input but for the records; everything else in the folder that is given."""

    def folders(home: Path) -> Folders:
        return Folders(
            runs=home / "data" / "runs",
            published=PROJECT / "data" / "published",
            sql=PROJECT / "workflow" / "sql",
            schema=PROJECT / "workflow" / "schemas" / "record.schema.json",
            database=home / "data" / "diskbench.duckdb",
            parquet=home / "data" / "parquet",
            probes=PROJECT / "data" / "probes",
            withdrawn=home / "data" / "withdrawn.csv",
        )

    return folders


@pytest.fixture(scope="session")
def core(request: pytest.FixtureRequest) -> Path:
    """The core, built from the sources as they are."""
    return request.getfixturevalue("target") / "diskbench"


@pytest.fixture
def folders(tmp_path: Path, project_folders) -> Folders:
    """The same in a temporary folder."""
    return project_folders(tmp_path)


@pytest.fixture(scope="session")
def without_records(tmp_path_factory, project_folders) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database without a record, with everything that a build has at hand."""
    folders = project_folders(tmp_path_factory.mktemp("without"))
    with load.database(load.IN_MEMORY) as connection:
        load.raw_tables(connection, folders, [], [])
        load.objects(connection, folders.sql)
        load.over_all_hosts(connection, folders.sql)
        yield connection


@pytest.fixture
def query(without_records, folders: Folders) -> Iterator[Callable[..., list[tuple]]]:
    """Asks the records saved so far; they are gone after the test."""
    with asking(without_records, folders) as ask:
        yield ask


@pytest.fixture
def save(folders: Folders) -> Callable[..., Path]:
    """Saves a record of one cell, or a repeat for each time (`made_up.save_runs`)."""
    return functools.partial(made_up.save_runs, folders.runs)


@pytest.fixture
def world(query) -> Callable[..., World]:
    """A world of cells for conclusions."""
    return lambda article, **other: World(query.connection, article, **other)


@pytest.fixture(scope="session")
def example(tmp_path_factory, project_folders) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database with a cell of each status, two releases and a damaged record, built once."""
    folders = project_folders(tmp_path_factory.mktemp("example"))
    made_up.save(made_up.record(), folders.runs)
    # a newer record, with what an older one lacks
    made_up.save(made_up.served(made_up.record(release="debian-13-6.12.1")), folders.runs)
    for status, reason, cell in (
        ("failed", "the disk was full", {"protocol": "remounted"}),
        ("skipped", "this system cannot make ASIF", {"format": "ASIF", "driver": "apple"}),
    ):
        made = made_up.without_figures(made_up.record(**cell), status, reason)
        made_up.save(made, folders.runs)
    damaged = made_up.save(made_up.record(phase="emptied"), folders.runs)
    damaged.write_text("{", encoding="utf-8")
    build(folders)
    connection = duckdb.connect(str(folders.database), read_only=True)
    yield connection
    connection.close()
