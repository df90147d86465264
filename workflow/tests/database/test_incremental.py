"""An incremental build equals a full build: every row, and Parquet byte for byte."""

import dataclasses
import json
import os
import shutil

import duckdb
import made_up
import pytest
from contents import rows
from tree import below

from database import batch, sources, swap
from database.build import build
from proofs.support import records
from record import path_of

pytestmark = pytest.mark.slow

RELEASES = ("macos-26.3.1-25D", "macos-26.4-25E")
IMAGES = (("native", "native", "none"), ("portable", "UDSB", "none"), ("apple", "UDSB", "AES-256"))


def host_records(runs, host, releases=RELEASES, images=IMAGES):
    for release in releases:
        for driver, image, encryption in images:
            made = made_up.record(
                host=host, release=release, driver=driver, format=image, encryption=encryption,
                scale="tenth",
            )  # fmt: skip
            made_up.save(made_up.served(made), runs)


@pytest.fixture(scope="module")
def three_hosts(project_folders, tmp_path_factory):
    """What a build makes of three hosts; the first is of an article, so its figures lie beside ours."""
    folders = project_folders(tmp_path_factory.mktemp("three"))
    host_records(folders.runs, "mac-mini-m4-pro")
    # the name of one begins with that of the other, and both have one pair of releases
    for host in ("made-up-a", "made-up-a-b"):
        host_records(folders.runs, host, images=IMAGES[-1:])
    build(folders)
    return folders


@pytest.fixture
def runs(three_hosts, folders):
    """The records of what was built, in a folder of its own."""
    shutil.copytree(three_hosts.database.parent, folders.database.parent, dirs_exist_ok=True)
    # a copy of a record counts as another file
    words = {name: host.word for name, host in sources.hosts(folders.runs).items()}
    was = sources.read(folders.database)
    sources.write(folders.database, dataclasses.replace(was, hosts=words))
    assert build(folders).hosts == 0
    return folders.runs


def anew(folders):
    """The same input, built where nothing was built before."""
    home = folders.database.parent / "anew"
    shutil.rmtree(home, ignore_errors=True)
    other = dataclasses.replace(folders, database=home / "d.duckdb", parquet=home / "parquet")
    build(other)
    return other


def comments(database):
    """The comment of every table and column."""
    with duckdb.connect(str(database), read_only=True) as connection:
        return connection.execute("""
            select table_name, null, comment from duckdb_tables()
            union all
            select table_name, column_name, comment from duckdb_columns()
            where database_name = current_database()
            order by all
        """).fetchall()


def assert_same_as_anew(folders):
    other = anew(folders)
    ours, theirs = rows(folders.database), rows(other.database)
    assert {name for name in ours if ours[name] != theirs[name]} == set()
    assert comments(folders.database) == comments(other.database)
    ours, theirs = below(folders.parquet), below(other.parquet)
    assert set(ours) == set(theirs)
    assert {name for name in ours if ours[name] != theirs[name]} == set()


def first(runs, host):
    return sorted((runs / host).rglob("fresh.json"))[0]


def written(made):
    return json.dumps(records.signed(made)).encode()


def a_nanosecond_slower(path):
    made = json.loads(path.read_bytes())
    made["samples"][0]["elapsed_ns"] += 1
    assert len(written(made)) == path.stat().st_size
    return {path: written(made)}


def added(runs, made):
    return {runs / path_of(made["cell"]): written(made)}


FIRST_FIGURE = {"host": "made-up-a", "format": "UDRW", "driver": "apple", "scale": "tenth"}
# files with what they hold from then on, or nothing; records that are then loaded and refused
CHANGES = [
    # of the only pair of two releases of its host
    (lambda runs: {first(runs, "made-up-a"): None}, 9, 0),
    (lambda runs: {first(runs, "made-up-a-b"): b"{"}, 9, 1),
    (lambda runs: a_nanosecond_slower(first(runs, "made-up-a")), 10, 0),
    # another host, and with it the first null of a column: no space that is free inside of the image
    (lambda runs: added(runs, made_up.record(host="made-up-new", scale="tenth")), 11, 0),
    # it takes the place of the row of a figure that was not measured
    (lambda runs: added(runs, made_up.record(**FIRST_FIGURE)), 11, 0),
]


def put(files):
    """Give these files their content; what they had before."""
    before = {path: path.read_bytes() if path.exists() else None for path in files}
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content) if content else path.unlink()
    return before


@pytest.mark.parametrize(("change", "loaded", "refused"), CHANGES)
def test_only_the_host_of_a_change_is_built_as_if_all_were_and_so_it_is_when_undone(
    folders, runs, caplog, change, loaded, refused
):
    before = below(folders.parquet)
    undo = put(change(runs))
    outcome = build(folders)
    assert (outcome.loaded, outcome.refused, outcome.hosts) == (loaded, refused, 1)
    assert_same_as_anew(folders)
    # a damaged record is named again by a build that has nothing to do
    caplog.clear()
    assert build(folders).refused == refused
    assert refused == caplog.text.count("refused made-up-a-b/")
    put(undo)
    outcome = build(folders)
    assert (outcome.loaded, outcome.refused) == (10, 0)
    assert outcome.hosts == (not (runs / "made-up-new").exists())
    assert below(folders.parquet) == before


def test_a_folder_with_an_undecodable_name_is_added_and_removed(folders, runs):
    strange = runs / os.fsdecode(b"\xff")
    try:
        strange.mkdir()
    except OSError:
        pytest.skip("this file system takes UTF-8 only")
    (strange / "torn.json").write_text("{", encoding="utf-8")
    assert build(folders).refused == 1
    shutil.rmtree(strange)
    outcome = build(folders)
    assert (outcome.loaded, outcome.refused, outcome.hosts) == (10, 0, 0)
    assert not list(folders.parquet.rglob("host=%3F"))


def test_a_build_that_ends_before_its_parquet_is_repeated(folders, runs, monkeypatch):
    first(runs, "made-up-a").unlink()

    def power_fails(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(swap, "replace_files", power_fails)
    with pytest.raises(KeyboardInterrupt):
        build(folders)
    monkeypatch.undo()
    # the database is the new one, and its Parquet the old
    assert build(folders).hosts == 1
    assert_same_as_anew(folders)


def test_missing_parquet_is_made_again_also_of_a_host_that_came_later(folders, runs):
    host_records(runs, "made-up-new", RELEASES[:1])
    assert build(folders).hosts == 1
    before = below(folders.parquet)
    for gone in (
        "cell/host=made-up-a",
        "sample/host=made-up-a",
        "sample/host=made-up-new/measured.parquet",
        "speed_statistic/host=mac-mini-m4-pro/measured.parquet",
        "article_table/measured_host=__HIVE_DEFAULT_PARTITION__/published.parquet",
        "article.parquet",
    ):
        path = folders.parquet / gone
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
        build(folders)
        assert below(folders.parquet) == before, gone


def test_a_build_with_nothing_new_touches_no_file(folders, runs):
    files = [folders.database, *folders.parquet.rglob("*.parquet")]
    before = {file: (file.stat().st_ino, file.stat().st_mtime_ns) for file in files}
    assert build(folders).hosts == 0
    assert {file: (file.stat().st_ino, file.stat().st_mtime_ns) for file in files} == before
    # Snakemake gives what a rule made the time of now
    folders.database.touch()
    assert build(folders).hosts == 0


def test_a_contribution_touches_no_file_of_another_host(folders, runs):
    before = {file: file.stat().st_mtime_ns for file in folders.parquet.rglob("*.parquet")}
    host_records(runs, "made-up-new")
    build(folders)
    touched = {
        str(file.relative_to(folders.parquet))
        for file in folders.parquet.rglob("*.parquet")
        if before.get(file) != file.stat().st_mtime_ns
    }
    assert {name for name in touched if "=made-up-new/" not in name} <= {
        "conclusion_evidence.parquet",
        "article_table/measured_host=__HIVE_DEFAULT_PARTITION__/published.parquet",
        "article_size_table/measured_host=__HIVE_DEFAULT_PARTITION__/published.parquet",
    }
    assert "sample/host=made-up-new/measured.parquet" in touched


def test_other_rules_compute_every_host_anew(folders, runs, tmp_path):
    sql = shutil.copytree(folders.sql, tmp_path / "sql")
    file = sql / "marts/21_sample.sql"
    file.write_text(file.read_text(encoding="utf-8") + "\n-- another\n", encoding="utf-8")
    other = dataclasses.replace(folders, sql=sql)
    assert build(other).hosts == 3
    assert build(other).hosts == 0


def change(database):
    with duckdb.connect(str(database)) as connection:
        connection.execute("delete from sample")


def test_a_changed_or_missing_database_is_assembled_again(folders, runs):
    before = rows(folders.database)
    for spoil in (
        change,
        lambda database: database.unlink(),
        lambda database: os.truncate(database, 1 << 20),
        lambda database: shutil.copy(__file__, database),
    ):
        spoil(folders.database)
        assert build(folders).hosts == 0
        assert rows(folders.database) == before
    assert_same_as_anew(folders)


def test_without_its_note_or_its_parquet_everything_is_computed_anew_in_batches_of_any_size(
    folders, runs, monkeypatch
):
    monkeypatch.setattr(batch, "BATCH_BYTES", 1)
    sources.note(folders.database).unlink()
    assert build(folders).hosts == 3
    monkeypatch.undo()
    assert_same_as_anew(folders)
    shutil.rmtree(folders.parquet)
    assert build(folders).hosts == 3
    assert_same_as_anew(folders)
