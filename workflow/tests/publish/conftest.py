"""A database without measurements, and one of synthetic records; the project's pages, run once."""

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import duckdb
import pytest

import voucher
import withdrawn
from database.build import Folders, build
from proofs.support import records as synthetic
from publish import elsewhere, plain, project
from publish.parts import Part
from record import path_of

ROOT = Path(__file__).resolve().parents[3]
REPORTS = ROOT / "reports"
# The site with the manual, which is the same whatever was measured.
WITH_MANUAL = "made_up"

# `lib` is what pages import: not a part of the workflow, so not on its path; nor are helpers here
sys.path += [str(REPORTS), str(Path(__file__).parent), str(Path(__file__).parents[1] / "database")]

import chromium  # noqa: E402  (found through the line above)
import every_kind  # noqa: E402
import hostile  # noqa: E402
import probed  # noqa: E402
import tiny_project  # noqa: E402
from rendered import data_pages, words  # noqa: E402

from lib import engine, runtime  # noqa: E402
from lib.database import connect  # noqa: E402

# each starts in seconds, and the other processor has tests of its own
plain.PROCESSES = 1


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Makes a database of records, in a folder of this name; and of who vouches for which hosts."""
    return lambda name, *records: _build(tmp_path_factory.mktemp(name), *records)


@pytest.fixture(scope="session")
def published_only(tmp_path_factory) -> Path:
    """The database of a fresh clone: published figures, nothing measured."""
    return _build(tmp_path_factory.mktemp("published-only"), [])


@pytest.fixture(scope="session")
def made_up(tmp_path_factory) -> Path:
    """A database with two made-up Macs, a small machine at smoke scale, and two probes of a build."""
    folder = tmp_path_factory.mktemp("made-up")
    creates = {"hdiutil-creates": [True]}
    probed.keep(folder / "probes", "25E241", creates | {"udrw-is-raw": [False]})
    probed.keep(folder / "probes", "25E241", creates | {"no-space": [None]}, "another")
    return _build(folder, list(every_kind.records()))


@pytest.fixture(scope="session")
def hostile_records(tmp_path_factory) -> Path:
    """A database whose records were written to do harm."""
    kept = [
        record
        for record in hostile.records()
        if record["warnings"][0] != hostile.ATTACKS["half a letter"]  # refused: tests/database
    ]
    return _build(tmp_path_factory.mktemp("hostile"), kept)


@dataclass(frozen=True)
class Site:
    """A rendered site, the database it was made from, and its pages as they were executed."""

    name: str
    folder: Path
    database: Path
    parts: dict[str, list[Part]]

    @property
    def pages(self) -> list[Path]:
        return [Path(page).with_suffix(".html") for page in self.parts]

    def text(self, page: str | Path) -> str:
        """The HTML of a page."""
        return (self.folder / page).read_text(encoding="utf-8")

    def words(self, page: str | Path) -> str:
        """What a reader sees of a page below its navigation."""
        return words(self.text(page).partition("<main")[2])


@pytest.fixture(scope="session")
def rendered_site(request, tmp_path_factory) -> Callable[..., Site]:
    """The project's own pages, or some, rendered in a copy from a database, once each.

    It is that of a fixture here, by its name; one of a file of tests has to be given, as it is not known here.
    """

    @cache
    def render(of: str | Path, *pages: str | Path) -> Site:
        name, database = str(of), of if isinstance(of, Path) else request.getfixturevalue(of)
        copy = copied(tmp_path_factory.mktemp("site"), database)
        loaded = project.load(copy)
        wanted = loaded.settings["project"]
        if pages:
            wanted["pre-render"] = []  # of single pages nobody takes downloads or asks queries
        elif of != WITH_MANUAL:
            pages = data_pages(loaded.pages())
        if pages:
            wanted["render"] = [*map(str, pages)]
        done = plain.render(loaded)
        parts = {str(page): parts for page, parts in done.items()}
        return Site(name, copy / "_site", database, parts)

    return render


@pytest.fixture(scope="session", params=["published_only", "made_up"])
def either_site(request, rendered_site) -> Site:
    """The site as in a fresh clone, and with a few records of every kind."""
    return rendered_site(request.param)


@pytest.fixture(scope="session")
def site(rendered_site) -> Site:
    """The site with a few records of every kind."""
    return rendered_site("made_up")


@pytest.fixture(scope="session")
def published_site(rendered_site) -> Site:
    """The site as in a fresh clone."""
    return rendered_site("published_only")


@pytest.fixture(scope="module")
def browser():
    """Chromium."""
    with chromium.started() as browser:
        yield browser


@pytest.fixture
def asked(monkeypatch) -> Callable[[Path], None]:
    """Lets the functions of the pages answer from a database."""

    def use(database: Path) -> None:
        monkeypatch.setenv("DISKBENCH_DATABASE", str(database))
        connect.cache_clear()

    yield use
    connect.cache_clear()


@pytest.fixture
def changed(tmp_path) -> Callable[[Path, str], Path]:
    """Makes a copy of a database in which one statement changed some rows."""

    def change(database: Path, sql: str) -> Path:
        copy = Path(shutil.copy(database, tmp_path))
        connect.cache_clear()  # a database that is open is not read again
        with duckdb.connect(str(copy)) as connection:
            [count] = connection.execute(sql).fetchone()
        assert count > 0
        return copy

    return change


@pytest.fixture
def copied_reports(tmp_path) -> Callable[[Path], Path]:
    """Copies the reports, for a database."""
    return lambda database: copied(tmp_path / "copied", database)


def copied(folder: Path, database: Path) -> Path:
    """The reports in a folder of their own, as when they are rendered for another working directory."""
    # here, once: what is made from the same sources is copied with them
    engine.make()
    runtime.make()
    reports = elsewhere.copy(ROOT, folder, database)
    shutil.copytree(engine.TARGET, reports / "engine")
    return reports


def _build(folder: Path, records: list[dict], vouched: dict[str, str] | None = None) -> Path:
    runs = folder / "runs"
    runs.mkdir()
    for record in records:
        synthetic.save(record, runs)
        host, release = record["cell"]["host"], record["cell"]["release"]
        if word := (vouched or {}).get(host):
            voucher.write(runs, host, release, word)
    listed = folder / "withdrawn.csv"
    if records:
        (runs / "torn.json").write_text('{"record_version": 1,', encoding="utf-8")
        name = Path(path_of(records[0]["cell"])).with_name("emptied.json")
        line = f"{name},{'0' * 64},2026-11-20,the <clock> stood & the figures were another Mac's"
        listed.write_text(f"{','.join(withdrawn.COLUMNS)}\n{line}\n", encoding="utf-8")
    database = folder / "diskbench.duckdb"
    build(
        Folders(
            runs=runs,
            published=ROOT / "data" / "published",
            sql=ROOT / "workflow" / "sql",
            schema=ROOT / "workflow" / "schemas" / "record.schema.json",
            database=database,
            parquet=folder / "parquet",
            probes=folder / "probes",
            withdrawn=listed,
        )
    )
    return database


@pytest.fixture
def tiny(tmp_path) -> Path:
    """A project of two pages."""
    return tiny_project.make(tmp_path)
