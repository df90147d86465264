"""An incremental build equals a full build: every row, and Parquet byte for byte."""

import dataclasses
import json
import os
import shutil
from collections import Counter
from pathlib import Path

import duckdb
import made_up
import pytest

import stamp
from database import batch, load, parts, sources, swap
from database.build import build

pytestmark = pytest.mark.slow

RELEASES = ("macos-26.3.1-25D", "macos-26.4-25E")
IMAGES = (("native", "native", "none"), ("portable", "UDSB", "none"), ("apple", "UDSB", "AES-256"))


def host_records(runs, host, releases=RELEASES):
    for release in releases:
        for driver, image, encryption in IMAGES:
            made = made_up.record(
                host=host, release=release, driver=driver, format=image, encryption=encryption,
                scale="tenth",
            )  # fmt: skip
            made_up.save(made_up.served(made), runs)


@pytest.fixture(scope="module")
def three_hosts(project_folders, tmp_path_factory):
    """What a build makes of three hosts; the first is of an article, so its figures lie beside ours."""
    folders = project_folders(tmp_path_factory.mktemp("three"))
    for host in ("mac-mini-m4-pro", "made-up-a", "made-up-a-b"):
        host_records(folders.runs, host)
    build(folders)
    return folders


@pytest.fixture(scope="module")
def two_hosts(project_folders, tmp_path_factory):
    """And of two, each with one cell under two releases."""
    folders = project_folders(tmp_path_factory.mktemp("two"))
    for host in ("mac-mini-m4-pro", "made-up-a"):
        for release in RELEASES:
            made = made_up.record(
                host=host, release=release, format="ASIF", driver="apple", scale="tenth"
            )
            made_up.save(made, folders.runs)
    build(folders)
    return folders


def copied(built, folders):
    """What was built, in a folder of its own; gives the folder of records."""
    shutil.copytree(built.database.parent, folders.database.parent, dirs_exist_ok=True)
    # a copy of a record counts as another file
    words = {name: host.word for name, host in sources.hosts(folders.runs).items()}
    now = {"hosts": words, "stamp": stamp.of(folders.database)}
    sources.write(folders.database, dataclasses.replace(sources.read(folders.database), **now))
    assert build(folders).hosts == 0
    return folders.runs


@pytest.fixture
def runs(three_hosts, folders):
    """The records of three hosts, of which the database is built."""
    return copied(three_hosts, folders)


@pytest.fixture
def few_runs(two_hosts, folders):
    """Those of two."""
    return copied(two_hosts, folders)


def anew(folders):
    """The same input, built where nothing was built before."""
    home = folders.database.parent / "anew"
    shutil.rmtree(home, ignore_errors=True)
    other = dataclasses.replace(folders, database=home / "d.duckdb", parquet=home / "parquet")
    build(other)
    return other


def rows(database):
    """The rows of every table, in any order."""
    with duckdb.connect(str(database), read_only=True) as connection:
        names = [name for (name,) in connection.execute("show tables").fetchall()]
        return {
            name: Counter(map(repr, connection.execute(f'from "{name}"').fetchall()))
            for name in names
        }


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


def parquet_files(folder: Path):
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*.parquet")}


def assert_same_as_anew(folders):
    other = anew(folders)
    ours, theirs = rows(folders.database), rows(other.database)
    assert {name for name in ours if ours[name] != theirs[name]} == set()
    assert comments(folders.database) == comments(other.database)
    ours, theirs = parquet_files(folders.parquet), parquet_files(other.parquet)
    assert set(ours) == set(theirs)
    assert {name for name in ours if ours[name] != theirs[name]} == set()


def first(runs, host, pattern="fresh.json"):
    return sorted((runs / host).rglob(pattern))[0]


def test_a_record_that_came_is_added_and_only_its_host_is_built(folders, runs):
    late = first(runs, "made-up-a")
    aside = late.rename(runs.parent / "late.json")
    assert build(folders).loaded == 17
    aside.rename(late)
    outcome = build(folders)
    assert (outcome.loaded, outcome.hosts) == (18, 1)
    assert_same_as_anew(folders)


def test_a_record_that_went_and_a_host_that_came_and_one_that_went(folders, runs):
    first(runs, "mac-mini-m4-pro").unlink()
    host_records(runs, "made-up-new", RELEASES[:1])
    shutil.rmtree(runs / "made-up-a-b")
    outcome = build(folders)
    assert (outcome.loaded, outcome.hosts) == (14, 2)
    assert_same_as_anew(folders)
    assert not list(folders.parquet.rglob("host=made-up-a-b"))


def test_a_damaged_record_is_refused_and_loaded_after_repair(folders, runs, caplog):
    path = first(runs, "made-up-a-b")
    whole = path.read_bytes()
    path.write_bytes(whole[:500])
    caplog.clear()
    outcome = build(folders)
    assert (outcome.loaded, outcome.refused, outcome.hosts) == (17, 1, 1)
    assert str(path.relative_to(runs)) in caplog.text
    # it is named again by a build that has nothing to do
    caplog.clear()
    assert build(folders).refused == 1
    assert str(path.relative_to(runs)) in caplog.text
    assert_same_as_anew(folders)
    path.write_bytes(whole)
    assert build(folders).loaded == 18


def test_a_folder_with_an_undecodable_name_is_added_and_removed(folders, few_runs):
    strange = few_runs / os.fsdecode(b"\xff")
    try:
        strange.mkdir()
    except OSError:
        pytest.skip("this file system takes UTF-8 only")
    (strange / "torn.json").write_text("{", encoding="utf-8")
    assert build(folders).refused == 1
    shutil.rmtree(strange)
    outcome = build(folders)
    assert (outcome.loaded, outcome.refused, outcome.hosts) == (4, 0, 0)
    assert not list(folders.parquet.rglob("host=%3F"))


def test_a_record_that_was_replaced_by_one_of_the_same_length_is_seen(folders, few_runs):
    path = first(few_runs, "made-up-a")
    record = json.loads(path.read_text(encoding="utf-8"))
    record["samples"][0]["elapsed_ns"] += 1
    old = path.stat()
    made_up.save(made_up.signed(record), few_runs)
    assert path.stat().st_size == old.st_size
    assert build(folders).hosts == 1
    assert_same_as_anew(folders)


def test_a_build_that_ends_before_its_parquet_is_repeated(folders, few_runs, monkeypatch):
    first(few_runs, "made-up-a").unlink()

    def power_fails(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(swap, "replace_files", power_fails)
    with pytest.raises(KeyboardInterrupt):
        build(folders)
    monkeypatch.undo()
    # the database is the new one, and its Parquet the old
    assert build(folders).hosts == 1
    assert_same_as_anew(folders)


def test_a_host_that_has_no_row_of_a_table_any_more_has_no_file_of_it(folders, few_runs):
    file = folders.parquet / "release_change" / "host=made-up-a" / "measured.parquet"
    assert file.exists()
    first(few_runs, "made-up-a").unlink()
    assert build(folders).hosts == 1
    assert not file.exists()


def test_missing_parquet_is_made_again(folders, few_runs):
    before = parquet_files(folders.parquet)
    for gone in (
        "cell/host=made-up-a",
        "sample/host=made-up-a",
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
        assert parquet_files(folders.parquet) == before, gone


def test_after_a_mended_host_the_files_of_every_host_are_watched(folders, few_runs):
    host_records(few_runs, "made-up-new", RELEASES[:1])
    assert build(folders).hosts == 1
    before = parquet_files(folders.parquet)
    for host in ("made-up-new", "made-up-a"):
        (folders.parquet / "sample" / f"host={host}" / "measured.parquet").unlink()
        build(folders)
        assert parquet_files(folders.parquet) == before, host


def test_a_host_that_brings_the_first_null_of_a_column_leaves_the_files_of_others(folders, runs):
    before = parquet_files(folders.parquet)
    # an older record, without the space that is free inside of the image
    older = made_up.record(host="made-up-new", scale="tenth")
    path = made_up.save(older, runs)
    assert build(folders).hosts == 1
    assert_same_as_anew(folders)
    path.unlink()
    build(folders)
    assert parquet_files(folders.parquet) == before


def test_a_build_with_nothing_new_touches_no_file(folders, few_runs):
    files = [folders.database, *folders.parquet.rglob("*.parquet")]
    before = {file: (file.stat().st_ino, file.stat().st_mtime_ns) for file in files}
    assert build(folders).hosts == 0
    assert {file: (file.stat().st_ino, file.stat().st_mtime_ns) for file in files} == before
    # Snakemake gives what a rule made the time of now
    folders.database.touch()
    assert build(folders).hosts == 0


def test_the_first_host_with_a_figure_takes_the_place_of_its_row_and_the_last_gives_it_back(
    folders, few_runs
):
    new = {"host": "made-up-a", "format": "UDRW", "driver": "apple", "scale": "tenth"}
    path = made_up.save(made_up.record(**new), few_runs)
    assert build(folders).hosts == 1
    assert_same_as_anew(folders)
    path.unlink()
    assert build(folders).hosts == 1
    assert_same_as_anew(folders)


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


def test_other_rules_compute_every_host_anew(folders, few_runs, tmp_path):
    sql = shutil.copytree(folders.sql, tmp_path / "sql")
    file = sql / "marts/21_sample.sql"
    file.write_text(file.read_text(encoding="utf-8") + "\n-- another\n", encoding="utf-8")
    other = dataclasses.replace(folders, sql=sql)
    assert build(other).hosts == 2
    assert build(other).hosts == 0


def change(database):
    with duckdb.connect(str(database)) as connection:
        connection.execute("delete from sample")


def test_a_changed_or_missing_database_is_assembled_again(folders, few_runs):
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


def test_without_its_note_or_its_parquet_everything_is_computed_anew(folders, few_runs):
    sources.note(folders.database).unlink()
    assert build(folders).hosts == 2
    shutil.rmtree(folders.parquet)
    assert build(folders).hosts == 2
    assert_same_as_anew(folders)


def test_batches_of_any_size_give_the_same_rows_and_the_same_parquet(folders, runs, monkeypatch):
    monkeypatch.setattr(batch.batches, "__defaults__", (1,))
    sources.note(folders.database).unlink()
    assert build(folders).hosts == 3
    monkeypatch.undo()
    assert_same_as_anew(folders)


def test_every_table_with_rows_of_records_has_their_host(folders, few_runs):
    published = dataclasses.replace(
        folders,
        runs=folders.runs.with_name("no-runs"),
        database=folders.database.with_name("published.duckdb"),
        parquet=folders.parquet.with_name("published"),
    )
    build(published)
    alone = rows(published.database)
    with load.database(folders.database, read_only=True) as connection:
        in_parts = parts.parted(connection)
        whole = parts.whole(connection, in_parts)
    ours = rows(folders.database)
    assert {name for name in whole if ours[name] != alone[name]} <= {load.ASKED_LAST}
    assert ours["cell"] != alone["cell"]


def test_every_reader_finds_the_rows_of_a_host_below_its_name(three_hosts):
    found = duckdb.sql(f"""
        select host, count(*), count(distinct cell)
        from '{three_hosts.parquet}/sample/**/*.parquet' group by host order by host
    """).fetchall()
    assert found == [(host, 6 * 32, 6) for host in ("mac-mini-m4-pro", "made-up-a", "made-up-a-b")]
    one = f"select count(*) from '{three_hosts.parquet}/cell/host=made-up-a/*.parquet'"
    assert duckdb.sql(one).fetchall() == [(6,)]
