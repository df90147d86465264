"""Cells whose bytes / time and slope differ, and why."""

import pytest

# the four largest sizes, most of the bytes
LARGE = 600_000_000


def timed(slow=0, factor=1.0, large=1.0):
    """Files at 5 GB/s, of which `slow` of ten of each size take so many times as long; and the
    large ones all."""

    def time(op, order, size):
        by_size = large if size >= LARGE else 1
        return round(size / 5 * by_size * (factor if (order - 1) // 16 < slow else 1))

    return time


@pytest.fixture
def told(save, query):
    """What is said of a record with these times."""

    def told(time, **cell):
        save(time, **cell)
        [(why,)] = query("select distinct statistics_differ from measured_speed")
        return why

    return told


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({}, None),
        ({"slow": 3, "factor": 5}, "some files far slower than others of their size"),
        ({"slow": 3, "factor": 0.2}, "some files far faster than others of their size"),
        ({"large": 5}, "large and small files differ in rate"),
        (
            {"large": 5, "slow": 3, "factor": 5},
            "large and small files differ in rate, and some files are slow",
        ),
    ],
)
def test_what_makes_the_statistics_of_a_pass_differ_is_named(told, files, why):
    assert told(timed(**files)) == why


def test_with_one_file_of_each_size_both_reasons_are_named(told):
    # the largest file, 2 of 5.33 GB, takes three times as long
    def time(op, order, size):
        return round(size / 5 * (3 if size == 2_000_000_000 else 1))

    assert told(time, scale="tenth") == (
        "one file of each size: some files, or large and small ones, differ in rate"
    )


@pytest.mark.parametrize(
    ("factor", "differs"),
    # one file of ten of each size, which the slope does not see: bytes / time is 1 / (0.9 + 0.1 k)
    # of it, which is 0.905 at 2.05, and 0.896 at 2.16; and 1.087 at 0.2, 1.111 at 0
    [(2.05, False), (2.16, True), (0.2, False)],
)
def test_a_tenth_is_where_they_begin_to_differ(told, factor, differs):
    assert (told(timed(slow=1, factor=factor)) is not None) == differs
