"""Hostile records are data or refused by one line, never a statement, a path or a command."""

import contextlib
import hashlib
import json
import os
from pathlib import Path

import duckdb
import hostile
import made_up
import pytest
from asked import read_all

from database.build import build
from record import path_of
from study.commands import tell_refused

LINE = "diskbench: refused: "
# one each of what turns the direction, hides, joins, breaks lines or stands for a letter of a tag (Unicode's Cf, Zl, Zp)
UNSEEN = "\u202e\u2066\u200b\u200d\ufeff\u00ad\u2028\u2029\U000e0041"


def save(record: dict, runs: Path) -> Path:
    """Write it where its cell belongs, with a correct checksum even for half of a character."""
    text = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    sha256 = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    path = runs / path_of(record["cell"])
    path.parent.mkdir(parents=True, exist_ok=True)
    # in ASCII: half of a character has no UTF-8
    path.write_text(json.dumps(record | {"sha256": sha256}), encoding="ascii")
    return path


@pytest.fixture(scope="module")
def attacked(tmp_path_factory, project_folders):
    """A database of such records, built in a folder of its own; and what else that folder then holds."""
    folders = project_folders(tmp_path_factory.mktemp("attacked"))
    for record in hostile.records():
        save(record, folders.runs)
    here = Path.cwd()
    os.chdir(folders.runs.parent)
    try:
        build(folders)
    finally:
        os.chdir(here)
    return folders


def test_every_text_arrives_as_it_was_written(attacked):
    with duckdb.connect(str(attacked.database), read_only=True) as database:
        for number, (name, attack) in enumerate(hostile.ATTACKS.items(), start=1):
            if name == "half a letter":
                continue
            place = [f"attack-{number}"]
            assert database.execute(
                "select reason from cell where storage = ? and status = 'failed'", place
            ).fetchall() == [(attack,)], name
            assert (attack,) in database.execute(
                "select warning from warning inner join cell using (cell) where storage = ?", place
            ).fetchall(), name
            assert (attack,) in database.execute(
                "select program from command inner join cell using (cell) where storage = ?", place
            ).fetchall(), name


def test_the_tables_are_those_of_harmless_records_and_nothing_else_is_written(attacked, example):
    tables = "select table_name from duckdb_tables() order by all"
    with duckdb.connect(str(attacked.database), read_only=True) as database:
        assert database.execute(tables).fetchall() == example.execute(tables).fetchall()
    written = {path.name for path in attacked.runs.parent.iterdir()}
    assert written == {"runs", "parquet", "diskbench.duckdb", "diskbench.duckdb.made-from.json"}
    files = [path for path in attacked.parquet.rglob("*") if path.is_file()]
    assert [path for path in files if path.suffix != ".parquet"] == []


@pytest.mark.parametrize("key", ["host", "release", "protocol", "storage", "phase"])
def test_a_name_that_could_be_more_than_a_name_is_refused(folders, key):
    good = save(made_up.record(), folders.runs)
    for name in hostile.NAMES:
        with contextlib.suppress(OSError):  # no file can have that name
            save(made_up.record(**{key: name}), folders.runs)
    accepted, refused = read_all(folders.runs, folders.schema)
    assert [record.cell for record in accepted] == [
        good.relative_to(folders.runs).with_suffix("").as_posix()
    ]
    assert len(refused) > 10
    assert all(f"cell.{key}: " in damage.reason for damage in refused)


def test_control_characters_are_removed_from_printed_names(folders, capsys):
    folders.runs.mkdir(parents=True)
    unseen = f"a{UNSEEN}b.json".encode()
    for name in (b"\x1b[2J\x07.json", b"a\ndiskbench: all is well.json", b"\xff\xfe.json", unseen):
        try:
            (folders.runs / os.fsdecode(name)).write_text("{", encoding="utf-8")
        except OSError:
            continue  # this file system takes UTF-8 only
    save(made_up.record(), folders.runs)
    outcome = build(folders)
    assert outcome.loaded == 1
    assert outcome.refused >= 2
    assert tell_refused(folders.database) == 6
    said = capsys.readouterr().err
    assert [line for line in said.splitlines() if not line.startswith(LINE)] == []
    assert not set("\x1b\x07" + UNSEEN) & set(said)
    assert f"a{' ' * len(UNSEEN)}b.json" in said
