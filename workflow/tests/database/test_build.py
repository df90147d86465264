"""Building is repeatable, safe, and readable by every DuckDB from 1.0 on."""

import dataclasses
import errno
import functools
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import duckdb
import made_up
import pytest
from contents import rows
from tree import below

import console
import durable
from console import StudyError
from database import load, parquet, swap
from database.build import build

SCRIPTS = Path(__file__).parents[2] / "scripts"
# all that lies in the folder of a database
WHOLE = {"diskbench.duckdb", "diskbench.duckdb.made-from.json", "parquet", "runs"}


def command(folders, *more):
    """Run the command as the workflow does."""
    return subprocess.run(
        [sys.executable, "-m", "database", "build"]
        + [f"--{name}={path}" for name, path in dataclasses.asdict(folders).items() if path]
        + list(more),
        env=os.environ | {"PYTHONPATH": str(SCRIPTS)},
        capture_output=True,
        text=True,
        check=False,
    )


def some_records(runs):
    for release in ("macos-26.3.1-25D", "macos-26.4-25E"):
        for phase in ("fresh", "partly-filled", "emptied"):
            made_up.save(made_up.record(release=release, phase=phase), runs)


@pytest.fixture(scope="module")
def built(project_folders, tmp_path_factory):
    """What a build makes, for tests that only look at it."""
    folders = project_folders(tmp_path_factory.mktemp("built"))
    some_records(folders.runs)
    build(folders)
    return folders


@pytest.fixture
def there(built, folders):
    """The same in a folder of its own, for tests that build again."""
    home = folders.database.parent
    shutil.copytree(built.database.parent, home, dirs_exist_ok=True)
    return folders


def test_without_any_record_all_tables_are_there_and_parquet_of_no_other(folders):
    stale = folders.parquet / "old_table.parquet"
    stale.parent.mkdir(parents=True)
    stale.write_bytes(b"old")
    outcome = build(folders)
    assert (outcome.loaded, outcome.refused) == (0, 0)
    tables = rows(folders.database)
    assert tables["published_speed"].total() > 40
    assert tables["article_table"].total() > 60
    assert [tables[name].total() for name in ("cell", "sample", "release_change")] == [0] * 3
    assert {file.stem for file in folders.parquet.iterdir()} == set(tables)


def test_parquet_has_the_rows_of_the_tables(built):
    for name, expected in rows(built.database).items():
        path = built.parquet / name
        files = f"{path}/**/*.parquet" if path.is_dir() else f"{path}.parquet"
        found = duckdb.sql(f"from read_parquet('{files}', hive_partitioning = false)").fetchall()
        assert Counter(map(repr, found)) == expected, name


def test_the_file_has_the_storage_version_that_every_duckdb_from_1_0_opens(built):
    with duckdb.connect(str(built.database), read_only=True) as connection:
        [(tags,)] = connection.execute(
            "select tags from duckdb_databases() where database_name = 'diskbench'"
        ).fetchall()
    assert tags["storage_version"] == "v1.0.0+"
    header = built.database.read_bytes()[:20]
    assert header[8:12] == b"DUCK"
    # the number of the storage format: 64 for DuckDB 0.9 to 1.1, larger from 1.2 on
    assert int.from_bytes(header[12:20], "little") == 64
    # no log and no folder of the build remains
    assert {path.name for path in built.database.parent.iterdir()} == WHOLE


def test_stored_queries_use_no_syntax_that_only_a_later_duckdb_than_1_0_can_read(built):
    with duckdb.connect(str(built.database), read_only=True) as connection:
        stored = connection.execute(
            """
            select function_name, macro_definition from duckdb_functions() where not internal
            union all select view_name, sql from duckdb_views() where not internal
            """
        ).fetchall()
    # DuckDB 1.0 and 1.1 do not even open a file with `* rename` in a macro or view
    assert [name for name, sql in stored if re.search(r"\* rename\b", sql or "", re.I)] == []
    assert len(stored) > 20


def test_extensions_are_neither_fetched_nor_loaded_by_themselves(tmp_path):
    with load.database(tmp_path / "new.duckdb") as connection:
        found = connection.execute(
            """
            select current_setting('autoinstall_known_extensions'),
                current_setting('autoload_known_extensions'), current_setting('threads')
            """
        ).fetchall()
    assert found == [(False, False, 1)]


def damage_every_record(there, **_):
    for record in there.runs.rglob("*.json"):
        record.write_text("{", encoding="utf-8")
    return there


def break_the_sql(there, folder, **_):
    broken = shutil.copytree(there.sql, folder / "sql")
    (broken / "marts/99_last.sql").write_text("select no_such_column from cell")
    return dataclasses.replace(there, sql=broken)


def fill_the_disk(there, monkeypatch, **_):
    next(there.runs.rglob("emptied.json")).unlink()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(parquet, "write", full)
    return there


@pytest.mark.parametrize(
    ("spoil", "why", "code"),
    [
        (damage_every_record, r"has no record .* was made from 6", 4),
        (break_the_sql, r"99_last\.sql failed", 1),
        (fill_the_disk, "the disk is full", 3),
    ],
)
def test_when_a_build_fails_the_old_database_stays(there, tmp_path, monkeypatch, spoil, why, code):
    before, before_parquet = there.database.read_bytes(), below(there.parquet)
    spoilt = spoil(there, folder=tmp_path, monkeypatch=monkeypatch)
    with pytest.raises((StudyError, OSError)) as error:
        build(spoilt)
    # as the command says it
    told = error.value if isinstance(error.value, StudyError) else console._expected(error.value)
    assert re.search(why, told.line)
    assert told.code == code
    assert there.database.read_bytes() == before
    assert below(there.parquet) == before_parquet
    assert {path.name for path in there.database.parent.iterdir()} == WHOLE


@pytest.mark.parametrize(
    "replace",
    [
        swap.replace_file,
        lambda new, target: swap.replace_files(new.parents[1], target.parents[1], []),
    ],
)
def test_a_file_is_on_the_disk_before_it_takes_its_place_and_its_name_after(
    tmp_path, monkeypatch, replace
):
    new, target = (tmp_path / name / "a" / "b.parquet" for name in ("new", "old"))
    for file in (new, target):
        file.parent.mkdir(parents=True)
        file.write_text(file.parts[-3])
    names = {new.stat().st_ino: "file", target.parent.stat().st_ino: "folder"}
    synced = []
    monkeypatch.setattr(
        durable,
        "flush",
        lambda handle: synced.append((names[os.fstat(handle).st_ino], target.read_text())),
    )
    replace(new, target)
    assert synced == [("file", "old"), ("folder", "new")]
    # who reads the old one keeps it
    assert names[target.stat().st_ino] == "file"


def test_files_take_their_place_on_another_disk(tmp_path, monkeypatch):
    new, target = tmp_path / "new", tmp_path / "target"
    new.mkdir()
    (new / "a.parquet").write_text("new")
    renames = {name: getattr(os, name) for name in ("rename", "replace")}

    def renamed(name, one, other):
        if Path(one).parent != Path(other).parent:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        renames[name](one, other)

    for name in renames:
        monkeypatch.setattr(os, name, functools.partial(renamed, name))
    swap.replace_files(new, target, [])
    assert below(target) == {"a.parquet": b"new"}


def test_files_that_are_equal_or_kept_stay_and_all_others_go(tmp_path):
    new, target = tmp_path / "new", tmp_path / "target"
    for folder, content in ((new, "new"), (target, "old")):
        for name in ("a/same", "a/changed", f"only-{content}/one", "kept/other"):
            if folder == new and name.startswith("kept"):
                continue
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / f"{name}.parquet").write_text("same" if name == "a/same" else content)
    before = (target / "a" / "same.parquet").stat().st_ino
    swap.replace_files(new, target, ["kept/other.parquet", "never/there.parquet"])
    found = {str(file.relative_to(target)): file.read_text() for file in target.rglob("*.parquet")}
    assert found == {
        "a/same.parquet": "same",
        "a/changed.parquet": "new",
        "only-new/one.parquet": "new",
        "kept/other.parquet": "old",
    }
    assert not (target / "only-old").exists()
    assert (target / "a" / "same.parquet").stat().st_ino == before


def test_what_a_killed_build_left_is_swept_also_when_it_was_whole(folders):
    left = folders.database.with_name("diskbench.duckdb.building-x")
    for _ in range(2):
        left.mkdir(parents=True)
        build(folders)
        assert not left.exists()


def test_the_command_reports_its_result_and_a_strict_one_exits_with_6_for_a_refused_record(folders):
    some_records(folders.runs)
    bad = next(folders.runs.rglob("emptied.json"))
    bad.write_text("{")
    log = folders.database.parent / "log" / "database.log"
    done = command(folders, f"--log={log}")
    assert done.returncode == 0
    [told] = done.stderr.splitlines()
    assert "5 records, 1 refused" in told
    assert done.stdout == ""
    assert f"refused {bad.relative_to(folders.runs)}: not valid JSON" in log.read_text()
    assert command(folders, "--strict").returncode == 6
    assert rows(folders.database)["cell"].total() == 5


def test_a_folder_that_cannot_be_written_is_refused_with_code_4(folders, tmp_path):
    (tmp_path / "file").write_text("in the way")
    done = command(dataclasses.replace(folders, database=tmp_path / "file" / "diskbench.duckdb"))
    assert done.returncode == 4
    assert "move what is in its way to another place" in done.stderr
