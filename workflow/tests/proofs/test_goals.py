"""A goal is reached or missed by the whole 95 % interval; otherwise there is no verdict."""

import math
import statistics

import pytest
from scipy import stats

from proofs.support import goals
from proofs.support.goals import Band

BAND = Band("0.95 to 1.05", 0.95, 1.05)


@pytest.mark.parametrize(
    ("interval", "verdict"),
    [
        ((0.95, 1.05), True),
        ((0.99, 1.01), True),
        ((1.0, 1.0), True),
        ((0.9499, 1.0), None),
        ((1.0, 1.0501), None),
        ((0.5, 2.0), None),
        # touching is not lying outside
        ((1.05, 1.2), None),
        ((0.8, 0.95), None),
        ((1.0501, 1.2), False),
        ((0.8, 0.9499), False),
        (None, None),
    ],
)
def test_a_goal_is_reached_by_a_whole_interval_inside_and_missed_by_one_outside(interval, verdict):
    assert BAND.judge(interval) is verdict


def test_a_limit_on_one_side_is_judged_by_the_end_that_is_nearer_to_it():
    assert goals.at_most(3).judge((-50, 3)) is True
    assert goals.at_most(3).judge((2, 3.1)) is None
    assert goals.at_most(3).judge((3.1, 4)) is False
    assert goals.at_least(50).judge((50, 900)) is True
    assert goals.at_least(50).judge((49, 51)) is None
    assert goals.at_least(50).judge((10, 49)) is False


def test_alike_is_as_far_up_as_down():
    # of ratios: half and twice are equally far from 1
    band = goals.alike(math.log(2))
    assert (band.low, band.high) == pytest.approx((0.5, 2))


@pytest.mark.parametrize("count", [6, 7, 9, 15, 61, 241])
def test_the_interval_of_a_median_is_the_narrowest_that_covers_95_percent_by_ranks(count):
    values = [float(value) for value in range(1, count + 1)]
    low, high = goals.of_median(values[::-1])
    assert low + high == count + 1

    def coverage(rank):
        # the median lies below the value of that rank when fewer than that many lie below it
        return 1 - 2 * stats.binom.cdf(rank - 1, count, 0.5)

    assert coverage(low) >= 0.95
    assert coverage(low + 1) < 0.95


@pytest.mark.parametrize("count", range(6))
def test_fewer_than_six_values_have_no_interval_and_so_no_verdict(count):
    assert goals.of_median([1.0] * count) is None
    assert goals.at_most(2).judge(goals.of_median([1.0] * count)) is None


@pytest.mark.parametrize(
    ("count", "tried", "low", "high"),
    # of tables of Clopper and Pearson's interval; and by its definition
    [(0, 10, 0, 0.3085), (5, 10, 0.1871, 0.8129), (10, 10, 0.6915, 1), (81, 263, 0.2527, 0.3676)],
)
def test_the_interval_of_a_share_is_that_of_the_tables(count, tried, low, high):
    assert goals.of_share(count, tried) == pytest.approx((low, high), abs=5e-5)


def test_of_nothing_tried_there_is_no_share():
    assert goals.of_share(0, 0) is None


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
