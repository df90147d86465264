"""What a probe reads of files: the head of an image, and how much of a file is in memory."""

import os

import pytest

from probe import layout, memory


@pytest.mark.parametrize("length", [0, 3, 8, 63, 79])
def test_a_head_that_is_cut_off_is_nothing(length):
    for read, magic in (
        (layout.encrypted, b"encrcdsa"),
        (layout.sparse_image, b"sprs"),
        (layout.asif, b"shdw"),
        (layout.metadata, b"meta"),
    ):
        assert read((magic + bytes(100))[: min(length, 63)]) is None


def test_what_is_in_memory_is_counted_and_dropped(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(os.urandom(4 << 20))
    assert memory.resident_share(path) > 0.99
    memory.drop(path)
    assert memory.resident_share(path) < 0.01


def test_of_a_folder_the_pages_of_all_its_files_are_counted(tmp_path):
    kept, dropped = tmp_path / "bands" / "0", tmp_path / "bands" / "1"
    kept.parent.mkdir()
    for band in (kept, dropped):
        band.write_bytes(os.urandom(8 << 20))
    (tmp_path / "token").touch()
    memory.drop(dropped)
    # a folder in memory has nothing to evict
    half = (memory.resident_share(kept) + memory.resident_share(dropped)) / 2
    assert memory.resident_share(tmp_path) == pytest.approx(half, abs=0.01)
