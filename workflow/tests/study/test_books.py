"""Whatever a killed call left in Snakemake's own folder, the next one is not stopped by it."""

import pytest

from study import books


@pytest.fixture
def folder(tmp_path):
    """Snakemake's folder with a note that is whole."""
    (tmp_path / "metadata" / "@deep").mkdir(parents=True)
    (tmp_path / "metadata" / "whole").write_text('{"rule": "site"}')
    return tmp_path


@pytest.mark.parametrize("content", [b"", b'{"rule": "si', b"[]", b"\0" * 64, b"\xff\xfe"])
def test_a_note_that_was_cut_is_removed_and_the_others_stay(folder, content):
    (folder / "metadata" / "@deep" / "cut").write_bytes(content)
    books.see_to(folder)
    assert [path.name for path in (folder / "metadata").rglob("*") if path.is_file()] == ["whole"]


def test_a_first_call_has_nothing_to_see_to(tmp_path):
    books.see_to(tmp_path / ".snakemake")
    assert not (tmp_path / ".snakemake").exists()
