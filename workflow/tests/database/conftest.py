"""What the tests of the database share: the project's own SQL, schema and figures, and made-up records."""

import contextlib
import dataclasses
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

from database import load, published
from database.build import Folders, build

PROJECT = Path(__file__).parents[3]
sys.path.insert(0, str(Path(__file__).parent))

import made_up  # noqa: E402  (found through the line above)
from asked import Built, Needed  # noqa: E402
from conclusion_world import World  # noqa: E402


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


Query = Callable[..., list[tuple]]


@pytest.fixture
def query(folders: Folders) -> Iterator[Query]:
    """Read the records saved so far at the first question; each question makes what it asks of."""
    with contextlib.closing(Needed(folders)) as asked:
        yield asked


@pytest.fixture
def query_built(folders: Folders) -> Iterator[Query]:
    """The same of a database that `build` makes, with all that it says and writes."""
    with contextlib.closing(Built(folders)) as asked:
        yield asked


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database with a cell of each status, two releases and a damaged record, built once."""
    home = tmp_path_factory.mktemp("example")
    folders = Folders(
        runs=home / "runs",
        published=PROJECT / "data" / "published",
        sql=PROJECT / "workflow" / "sql",
        schema=PROJECT / "workflow" / "schemas" / "record.schema.json",
        database=home / "diskbench.duckdb",
        parquet=home / "parquet",
    )
    made_up.save(made_up.record(), folders.runs)
    # a newer record, with what an older one lacks
    made_up.save(made_up.served(made_up.record(release="debian-13-6.12.1")), folders.runs)
    failed = made_up.record(protocol="remounted")
    made_up.save(made_up.without_figures(failed, "failed", "the disk was full"), folders.runs)
    skipped = made_up.record(format="ASIF", driver="apple")
    made_up.save(
        made_up.without_figures(skipped, "skipped", "this system cannot make ASIF"), folders.runs
    )
    damaged = made_up.save(made_up.record(phase="emptied"), folders.runs)
    damaged.write_text("{", encoding="utf-8")
    build(folders)
    connection = duckdb.connect(str(folders.database), read_only=True)
    yield connection
    connection.close()


@pytest.fixture
def changed(folders: Folders, tmp_path: Path) -> Callable[[str, str, str], Folders]:
    """The project's CSV files with one text replaced in one of them."""

    def change(name: str, old: str, new: str) -> Folders:
        copy = tmp_path / "published"
        copy.mkdir()
        for file in folders.published.glob("*.csv"):
            (copy / file.name).write_bytes(file.read_bytes())
        text = (copy / name).read_text(encoding="utf-8")
        assert old in text
        (copy / name).write_text(text.replace(old, new, 1), encoding="utf-8")
        return dataclasses.replace(folders, published=copy)

    return change


@pytest.fixture(scope="session")
def without_records(tmp_path_factory, project_folders) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database without a record, with everything that a build has at hand."""
    folders = project_folders(tmp_path_factory.mktemp("worlds"))
    folders.database.parent.mkdir(parents=True)
    with load.database(folders.database) as connection:
        load.raw_tables(connection, published.read(folders.published), [], [])
        load.objects(connection, folders.sql)
        yield connection


@pytest.fixture
def world(without_records) -> Iterator[Callable[..., World]]:
    """A world of cells for conclusions; what is put there is gone after the test."""
    without_records.begin()
    yield lambda article, **other: World(without_records, article, **other)
    without_records.rollback()
