"""A damaged record is refused by name, and the others are loaded."""

import copy
import json
from pathlib import Path

import made_up
import pytest

from console import StudyError
from database import records

GOOD = {"phase": "fresh"}
BAD = {"phase": "emptied"}


@pytest.fixture
def refusal(folders):
    """Save a good record, let `damage` spoil another, read both; the reason why one is refused."""

    def spoil(damage):
        good = made_up.save(made_up.record(**GOOD), folders.runs)
        bad = made_up.save(made_up.record(**BAD), folders.runs)
        moved = damage(bad)
        bad = moved if isinstance(moved, Path) else bad
        [accepted], [refused] = records.read(folders.runs, folders.schema)
        assert accepted.cell == good.relative_to(folders.runs).with_suffix("").as_posix()
        assert refused.path == bad.relative_to(folders.runs).as_posix()
        return refused.reason

    return spoil


def edit(change, sign=True):
    """Damage: change the record as parsed, and sign it anew so that only the change is wrong."""

    def damage(path: Path) -> None:
        record = json.loads(path.read_text(encoding="utf-8"))
        change(record)
        path.write_text(json.dumps(made_up.signed(record) if sign else record), encoding="utf-8")

    return damage


def test_a_record_whose_content_was_changed_is_refused(refusal):
    def faster(record):
        record["samples"][0]["elapsed_ns"] -= 1

    reason = refusal(edit(faster, sign=False))
    assert "checksum does not match" in reason
    assert "delete it to measure its cell again" in reason


def test_a_record_in_the_wrong_place_is_refused_and_its_own_place_named(refusal):
    def move(path: Path) -> Path:
        target = path.parents[1] / "2" / path.name
        target.parent.mkdir()
        return path.rename(target)

    reason = refusal(move)
    assert "wrong place" in reason
    assert "move it there" in reason
    assert "/1/emptied.json" in reason


def test_records_set_aside_and_half_written_ones_are_ignored(folders, query):
    path = made_up.save(made_up.record(), folders.runs)
    path.with_name("fresh.superseded-0123abcd.json").write_text("{}")
    path.with_name(".fresh.json").write_text("{")
    path.with_name("notes.txt").write_text("quiet evening")
    assert query("select count(*) from cell") == [(1,)]
    assert query("select count(*) from refused_record") == [(0,)]


def test_text_outside_ascii_is_signed_as_utf8(folders, query):
    record = made_up.record()
    record["warnings"] = ["Temperatur über 90 °C, “hot” 熱"]
    made_up.save(made_up.signed(record), folders.runs)
    assert query("select warning from warning") == [("Temperatur über 90 °C, “hot” 熱",)]


def test_the_checksum_is_that_of_the_sorted_compact_text():
    # printf '{"a":"ü","b":[1,null]}' | sha256sum
    expected = "5ddd266d13a5e8cdcca4c2007bb2032c5c319ab15de36c670f395fe8765fc949"
    record = {"b": [1, None], "sha256": "anything", "a": "ü"}
    before = copy.deepcopy(record)
    assert records.checksum(record) == expected
    assert record == before


def test_a_missing_schema_stops_with_one_line_that_says_how_to_make_it(folders, tmp_path):
    with pytest.raises(StudyError, match="diskbench schema record") as error:
        records.read(folders.runs, tmp_path / "none.json")
    assert error.value.code == 2
