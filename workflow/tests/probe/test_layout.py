"""The head of an image is read whole or not at all."""

import pytest

from probe import layout


@pytest.mark.parametrize("length", [0, 3, 8, 63, 79])
def test_a_head_that_is_cut_off_is_nothing(length):
    for read, magic in (
        (layout.encrypted, b"encrcdsa"),
        (layout.sparse_image, b"sprs"),
        (layout.asif, b"shdw"),
        (layout.metadata, b"meta"),
    ):
        assert read((magic + bytes(100))[: min(length, 63)]) is None
