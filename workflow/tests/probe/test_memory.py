"""How much of a file is in memory, and how to drop it from there."""

import os

import pytest

from probe import memory


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
