"""What the proof of images compares with."""

import pytest

from proofs.images.portable import one_after_the_other


def test_bytes_that_wait_for_two_rates_take_the_time_of_both():
    # a GB takes 1/4 s, then 1/3 s: 7/12 s
    assert one_after_the_other(4.0, 3.0) == pytest.approx(12 / 7)
