"""A withdrawn record is in no table but that of withdrawn records, and another file in its place counts."""

import hashlib
import json
from pathlib import Path

import duckdb
import made_up
import pytest

import withdrawn
from console import StudyError
from database.build import build
from proofs.support import records
from study import superseding

HEADER = "record,sha256,day,reason\n"
PATH = "a-mac/macos-26.4-25E241/remounted-gold/internal/native/native-none/1/fresh.json"
DIGEST = "0" * 64
LINE = f"{PATH},{DIGEST},2026-11-20,a backup ran\n"


def withdraw(folders, path, day="2026-11-20", reason="a backup ran"):
    """Add the line of the file as it is now."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    file = folders.withdrawn
    lines = file.read_text() if file.exists() else HEADER
    file.write_text(f"{lines}{path.relative_to(folders.runs)},{digest},{day},{reason}\n")
    return str(path.relative_to(folders.runs)), digest


def told(folders, sql):
    with duckdb.connect(str(folders.database), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def test_the_file_of_the_project_can_be_read():
    assert (Path(__file__).parents[3] / withdrawn.FILE).read_text().startswith(HEADER)
    withdrawn.read()


def test_a_withdrawn_record_leaves_the_tables_and_is_listed_with_day_and_reason(folders, capsys):
    wrong = made_up.save(made_up.record(), folders.runs)
    right = made_up.save(made_up.record(phase="emptied"), folders.runs)
    alone = made_up.save(made_up.record(host="made-up-alone"), folders.runs)
    cells = {str(path.relative_to(folders.runs).with_suffix("")) for path in (wrong, right, alone)}
    every = "select cell from cell union select cell from sample"
    build(folders)
    assert {cell for (cell,) in told(folders, every)} == cells
    rows = [withdraw(folders, wrong), withdraw(folders, alone, "2026-11-19", "wrong host")]
    left = str(right.relative_to(folders.runs).with_suffix(""))
    build(folders)
    assert told(folders, every) == [(left,)]
    assert told(folders, "select host from host") == [(left.split("/")[0],)]
    assert told(folders, "from refused_record") == []
    listed = "select record, sha256, cast(withdrawn_on as varchar), reason from withdrawn_record"
    assert told(folders, listed) == [
        (*rows[1], "2026-11-19", "wrong host"),
        (*rows[0], "2026-11-20", "a backup ran"),
    ]
    assert "2 records fewer than in the last build: " in capsys.readouterr().err
    # measured again, the cell is back
    made_up.save(made_up.record() | {"started_utc": "2026-11-21T12:00:00Z"}, folders.runs)
    assert build(folders).loaded == 2
    folders.withdrawn.unlink()
    assert build(folders).loaded == 3


def test_a_line_with_another_hash_than_the_record_in_its_place_is_reported(folders, capsys):
    wrong = made_up.save(made_up.record(), folders.runs)
    name, _ = withdraw(folders, wrong)
    # as if the checksum in the record had been copied, which is not that of its file
    text = folders.withdrawn.read_text()
    checksum = json.loads(wrong.read_text())["sha256"]
    folders.withdrawn.write_text(f"{HEADER}{name},{checksum},2026-11-20,a backup ran\n")
    missing = LINE.replace("a-mac", "another-mac")
    folders.withdrawn.open("a").write(missing)
    assert build(folders).loaded == 1
    said = f"{folders.withdrawn}: the file of {name} has another SHA-256, so this record counts: "
    assert capsys.readouterr().err.count(said) == 1
    # rightly withdrawn, and measured again
    folders.withdrawn.write_text(text + missing)
    again = made_up.record() | {"started_utc": "2026-11-21T12:00:00Z"}
    superseding.replace(wrong, json.dumps(records.signed(again)).encode())
    assert build(folders).loaded == 1
    assert "SHA-256" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (HEADER + LINE.replace("fresh.json", "fresh"), "line 2: record: '"),
        (HEADER + LINE.replace("a-mac", ".."), "is not the path of a record below data/runs"),
        (HEADER + LINE.replace(DIGEST, "0" * 63), "is not the SHA-256 of a file"),
        (HEADER + LINE + LINE.replace("2026-11-20", "20 November"), "line 3: day: '20 November'"),
        (HEADER + LINE.replace("a backup ran", ""), "line 2: reason: '' is empty"),
        (HEADER + LINE + LINE, f"line 3: '{PATH} {DIGEST}' is there twice"),
    ],
)
def test_a_bad_line_is_one_clear_error(folders, text, line):
    folders.withdrawn.parent.mkdir()
    folders.withdrawn.write_text(text)
    with pytest.raises(StudyError) as refused:
        build(folders)
    assert refused.value.code == 2
    assert refused.value.line.startswith(f"{folders.withdrawn}, line ")
    assert line in refused.value.line
    assert refused.value.line.endswith("; correct the file")
