"""A database that was cut, or came from elsewhere, is told from the one that was built."""

import pytest

import stamp

SIZE_BYTES = 1_000_000


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "diskbench.duckdb"
    path.write_bytes(bytes(range(250)) * (SIZE_BYTES // 250))
    (tmp_path / "made").write_text(stamp.of(path), encoding="utf-8")
    return path


def overwrite(database, place, content):
    with database.open("r+b") as file:
        file.seek(place)
        file.write(content)


def test_what_was_built_is_known_again_wherever_it_lies(database, tmp_path):
    assert stamp.is_of(database, tmp_path / "made")
    moved = database.rename(tmp_path / "copy.duckdb")
    assert stamp.is_of(moved, tmp_path / "made")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(path.read_bytes()[: SIZE_BYTES // 2]),
        lambda path: path.write_bytes(b""),
        lambda path: overwrite(path, 4096, b"another header"),
        lambda path: overwrite(path, SIZE_BYTES - 1, b"!"),
        lambda path: path.unlink(),
        lambda path: (path.parent / "made").write_bytes(b"\xff\xfe"),
        lambda path: (path.parent / "made").unlink(),
    ],
    ids=["cut", "empty", "another beginning", "another end", "gone", "note spoilt", "note gone"],
)
def test_what_is_not_as_it_was_built_is_noticed(database, tmp_path, spoil):
    spoil(database)
    assert not stamp.is_of(database, tmp_path / "made")


def test_an_empty_mark_of_before_there_were_stamps_fits_nothing(database, tmp_path):
    (tmp_path / "made").write_text("", encoding="utf-8")
    assert not stamp.is_of(database, tmp_path / "made")
