"""A damaged record is refused by name, and the others are loaded; finding and reading files observes the limits.

Each damage is in test_damage.py; the limits are the core's (record/files.rs).
"""

import copy

import pytest
from asked import read_all

import record_files
from console import StudyError
from record import DamageError, checksum


def test_a_changed_record_and_one_in_the_wrong_place_are_refused_with_the_next_step(folders, save):
    good, changed, moved = (save(phase=phase) for phase in ("fresh", "emptied", "partly-filled"))
    text = changed.read_text(encoding="utf-8")
    changed.write_text(text.replace('"elapsed_ns": 1234', '"elapsed_ns": 1233'), encoding="utf-8")
    wrong = moved.parents[1] / "2" / moved.name
    wrong.parent.mkdir()
    moved.rename(wrong)
    [accepted], refused = read_all(folders.runs, folders.schema)
    assert accepted.cell == good.relative_to(folders.runs).with_suffix("").as_posix()
    reasons = {folders.runs / one.path: one.reason for one in refused}
    assert reasons == {
        changed: "its checksum does not match its content; restore the file, or delete it to measure its cell again",
        wrong: f"it is in the wrong place: its cell belongs to {moved.relative_to(folders.runs)}; "
        "move it there, or delete this copy",
    }  # fmt: skip


def test_records_set_aside_and_half_written_ones_are_ignored(save, query):
    path = save()
    path.with_name("fresh.superseded-0123abcd.json").write_text("{}")
    path.with_name(".fresh.json").write_text("{")
    path.with_name("notes.txt").write_text("quiet evening")
    assert query("select count(*) from cell") == [(1,)]
    assert query("select count(*) from refused_record") == [(0,)]


def test_the_checksum_is_that_of_the_sorted_compact_text_in_utf8():
    # printf '{"a":"ü","b":[1,null]}' | sha256sum
    expected = "5ddd266d13a5e8cdcca4c2007bb2032c5c319ab15de36c670f395fe8765fc949"
    record = {"b": [1, None], "sha256": "anything", "a": "ü"}
    before = copy.deepcopy(record)
    assert checksum(record) == expected
    assert record == before


def test_a_missing_schema_stops_with_one_line_that_says_how_to_make_it(folders, tmp_path):
    with pytest.raises(StudyError, match="diskbench schema record") as error:
        read_all(folders.runs, tmp_path / "none.json")
    assert error.value.code == 2


@pytest.mark.parametrize("number", [1, 4, 5, 6, 7, 50])
def test_a_folder_of_too_many_files_and_folders_is_refused_as_a_whole(
    tmp_path, monkeypatch, number
):
    monkeypatch.setattr(record_files, "MOST_ENTRIES", 5)
    (tmp_path / "host").mkdir()
    for place in range(number - 1):
        (tmp_path / "host" / f"{place}.json").write_text("{}", encoding="utf-8")
    found = [one.name for one in record_files.below(tmp_path)]
    if number <= 5:
        assert found == [f"host/{place}.json" for place in range(number - 1)]
    else:
        assert found == ["."]
        with pytest.raises(DamageError, match=r"^it contains more than 5 files and folders$"):
            record_files.content(tmp_path / ".", tmp_path)


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_a_link_to_a_folder_on_the_way_to_a_record_is_not_followed(tmp_path, depth):
    file = tmp_path / "runs" / "host" / "release" / "a.json"
    file.parent.mkdir(parents=True)
    file.write_text("{}", encoding="utf-8")
    linked = [tmp_path / "runs", tmp_path / "runs" / "host", file.parent][depth]
    linked.rename(tmp_path / "elsewhere")
    linked.symlink_to(tmp_path / "elsewhere")
    if depth == 0:  # the folder of records itself may lie elsewhere
        assert record_files.content(file, tmp_path / "runs") == b"{}"
    else:
        with pytest.raises(DamageError, match=f"^{linked} is a link to a folder$"):
            record_files.content(file, tmp_path / "runs")


@pytest.mark.parametrize(
    ("readable", "why"),
    [(True, "it is not a regular file but a folder"), (False, "the folder cannot be read")],
)
def test_a_folder_in_the_place_of_a_record_is_refused_as_what_it_is(
    tmp_path, monkeypatch, readable, why
):
    folder = tmp_path / "host" / "a.json"
    folder.mkdir(parents=True)
    monkeypatch.setattr(record_files.os, "access", lambda *_: readable)  # root may read anything
    with pytest.raises(DamageError, match=f"^{why}$"):
        record_files.content(folder, tmp_path)
