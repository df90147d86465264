"""A goal is reached or missed by the whole 95 % interval; otherwise there is no verdict."""

import statistics

import pytest

from proofs.support import goals
from proofs.support.goals import Band

BAND = Band("0.95 to 1.05", 0.95, 1.05)


@pytest.mark.parametrize(
    ("interval", "verdict"),
    [
        ((0.95, 1.05), True),
        ((0.9499, 1.0), None),
        ((1.0, 1.0501), None),
        # touching is not lying outside
        ((1.05, 1.2), None),
        ((1.0501, 1.2), False),
        ((0.8, 0.9499), False),
        (None, None),
    ],
)
def test_a_goal_is_reached_by_a_whole_interval_inside_and_missed_by_one_outside(interval, verdict):
    assert BAND.judge(interval) is verdict


@pytest.mark.parametrize(
    ("count", "low", "high"),
    # of tables of the sign test: among 5 even the lowest and the highest cover the median in 94 % only
    [(6, 1, 6), (9, 2, 8), (15, 4, 12), (61, 23, 39)],
)
def test_the_interval_of_a_median_is_that_of_the_tables(count, low, high):
    assert goals.of_median([float(value) for value in range(count, 0, -1)]) == (low, high)
    assert goals.of_median([1.0] * 5) is None


@pytest.mark.parametrize(
    ("count", "tried", "low", "high"),
    # of tables of Clopper and Pearson's interval; and by its definition
    [(0, 10, 0, 0.3085), (5, 10, 0.1871, 0.8129), (10, 10, 0.6915, 1), (81, 263, 0.2527, 0.3676)],
)
def test_the_interval_of_a_share_is_that_of_the_tables(count, tried, low, high):
    assert goals.of_share(count, tried) == pytest.approx((low, high), abs=5e-5)


def test_the_interval_of_a_mean_is_students():
    # mean 2, standard deviation 1, t of 2 degrees 4.30265
    assert goals.of_mean([1, 2, 3]) == pytest.approx((2 - 2.48414, 2 + 2.48414), abs=1e-5)
    assert goals.of_mean([1]) is None


def test_the_interval_of_a_mean_over_pairs_counts_the_units_and_not_the_pairs():
    values = [3.0, 1.0, 4.0, 1.5, 9.0, 2.6]

    def mean(units):
        of_units = [values[unit] for unit in units]
        pairs = [(a + b) / 2 for at, a in enumerate(of_units) for b in of_units[at + 1 :]]
        return statistics.fmean(pairs)

    # the mean of all pairs' means is the mean of the six, and known as well as that
    assert goals.of_pairs(6, mean) == pytest.approx(goals.of_mean(values))
    assert goals.of_pairs(2, mean) is None
