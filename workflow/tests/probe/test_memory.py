"""How much of a file is in memory, and how to drop it from there."""

import os

from probe import memory


def test_what_is_in_memory_is_counted_and_dropped(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(os.urandom(4 << 20))
    assert memory.resident_share(path) > 0.99
    memory.drop(path)
    assert memory.resident_share(path) < 0.01
