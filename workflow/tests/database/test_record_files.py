"""Finding and reading files of records observes the limits (the core's: record/files.rs)."""

import pytest

import record_files
from record import DamageError


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
