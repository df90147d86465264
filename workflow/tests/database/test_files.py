"""What is told of single files: outliers, order, the cost of every file."""

import itertools
import math
import statistics

import duckdb
import made_up
import numpy as np
import pytest
from scipy import stats

from database import drift
from database.statistics.series import Alike, Files, by_design


def later(slower: float) -> made_up.Time:
    """Times that grow with the place in the pass, with a little noise."""

    def time(op: str, order: int, size: int) -> int:
        saw = (order * 7919 % 101) / 100 - 0.5
        return round(size / 5 * (1 + slower * order + 0.02 * saw))

    return time


def test_a_file_far_slower_than_its_size_is_an_outlier_and_no_other_is(folders, query):
    made = made_up.record(made_up.noisy(5.0, 6.0))
    made["samples"][70]["elapsed_ns"] *= 4
    made_up.save(made_up.signed(made), folders.runs)
    [found] = query('select op, "order", size_bytes, ratio, deviation < -3.5 from file_outlier')
    sample = made["samples"][70]
    assert found[:3] == (sample["op"], sample["order"], sample["size_bytes"])
    assert found[3] == pytest.approx(0.25, rel=0.1)
    assert found[4]
    told = query("select op, outliers, slow_outliers from file_summary order by op desc")
    assert told == [
        (op, int(op == sample["op"]), int(op == sample["op"])) for op in ("write", "read")
    ]


def test_an_outlier_is_more_than_three_and_a_half_spreads_away_to_either_side(folders):
    deviations = (-3.6, -3.4, None, 3.4, 3.6)
    with duckdb.connect() as connection:
        connection.execute("""
            create table stg_file_residual as
            select
                'cell' as cell, 'write' as op, 1 as "order", 1 as "set", 2 as size_bytes, 3 as elapsed_ns,
                1.0 as gbps, 2.0 as usual_gbps, unnest(?::double[]) as deviation
        """, [deviations])  # fmt: skip
        connection.execute((folders.sql / "marts/38_file_outlier.sql").read_text(encoding="utf-8"))
        found = connection.execute("select deviation from file_outlier order by all").fetchall()
    assert found == [(-3.6,), (3.6,)]


def test_five_files_of_a_size_tell_an_outlier_and_four_do_not(folders, query):
    made = made_up.record(made_up.noisy(5.0, 6.0), scale="half")
    large, other = (
        [one for one in made["samples"] if one["op"] == "write" and one["size_bytes"] == size]
        for size in (2_000_000_000, 1_000_000_000)
    )
    for four_times_slower in (large[2], other[2]):
        four_times_slower["elapsed_ns"] *= 4
    other[4]["slept"] = True
    made_up.save(made_up.signed(made), folders.runs)
    assert query('select op, "order" from file_outlier') == [("write", large[2]["order"])]


def test_with_one_file_of_each_size_no_outlier_and_no_order_can_be_told(folders, query):
    made_up.save(made_up.record(later(0.01), scale="tenth"), folders.runs)
    assert query("select * from file_outlier") == []
    assert query(
        "select distinct outliers, order_correlation, order_counts, first_file_ratio from file_summary"
    ) == [(0, None, None, None)]


def test_where_files_of_a_size_do_not_differ_there_is_no_order_to_tell(folders, query):
    made_up.save(made_up.record(made_up.steady(5, 6, per_file_ns=0), scale="smoke"), folders.runs)
    assert query("select * from file_outlier") == []


@pytest.mark.parametrize(("slower", "sign"), [(0.01, -1), (0.0, 0)])
def test_later_files_that_are_slower_show_in_the_order(folders, query, slower, sign):
    made = made_up.record(later(slower))
    made_up.save(made, folders.runs)
    [(found, counts, first)] = query(
        "select order_correlation, order_counts, first_file_ratio from file_summary where op = 'write'"
    )
    [(drift, low, high, unusual)] = query(
        """select drift_percent, drift_percent_low, drift_percent_high, first_file_deviation
        from file_summary where op = 'write'"""
    )
    written = [sample for sample in made["samples"] if sample["op"] == "write"]
    logs = {}
    for sample in written:
        rate = math.log(sample["size_bytes"] / sample["elapsed_ns"])
        logs.setdefault(sample["size_bytes"], []).append(rate)
    residuals = [
        math.log(sample["size_bytes"] / sample["elapsed_ns"])
        - statistics.median(logs[sample["size_bytes"]])
        for sample in written
    ]
    expected = stats.spearmanr([sample["order"] for sample in written], residuals).statistic
    of_its_size = [math.exp(rate) for rate in logs[written[0]["size_bytes"]]]
    assert found == pytest.approx(expected, abs=1e-9)
    assert counts == bool(sign)
    assert first == pytest.approx(of_its_size[0] / statistics.median(of_its_size))

    # slopes of Kendall's seasons, one size after the other; Mann and Kendall's variance of each
    slopes, variance = [], 0
    for size in logs:
        of_size = [
            (sample["order"], math.log(sample["size_bytes"] / sample["elapsed_ns"]))
            for sample in written
            if sample["size_bytes"] == size
        ]
        slopes += [
            (other - one) / (place - before)
            for (before, one), (place, other) in itertools.combinations(of_size, 2)
        ]
        variance += 10 * 9 * 25 / 18
    assert drift == pytest.approx(100 * math.expm1(159 * statistics.median(slopes)), rel=1e-9)
    reach = 1.959963984540054 * variance**0.5
    ranks = [(len(slopes) - reach) / 2, (len(slopes) + reach) / 2 + 1]
    ends = np.interp(ranks, range(1, len(slopes) + 1), sorted(slopes))
    assert [low, high] == pytest.approx([100 * math.expm1(159 * end) for end in ends], rel=1e-9)
    assert (high < 0) == bool(sign)

    # the largest median absolute deviation of its size and of the whole pass, by scipy
    usual = logs[written[0]["size_bytes"]]
    of_size, of_pass = (
        stats.median_abs_deviation(values, center=center, scale=1 / 1.4826)
        for values, center in ((usual, np.median), (residuals, lambda values, axis: 0.0))
    )
    expected = residuals[0] / max(of_size, of_pass)
    assert unusual == pytest.approx(expected, rel=1e-9)


def passes(*series: tuple[list[int], list[float]]) -> Alike:
    """Series of files: their sizes in the order of the pass, and their times in nanoseconds."""
    made = [Files("made-up", "write", np.array(sizes), np.array(times)) for sizes, times in series]
    [alike] = by_design(made)
    return alike


def test_equal_times_make_the_interval_of_a_drift_narrower():
    seasons = [[3.0, 1.0, 2.0, 1.0, 4.0], [5.0, 2.0, 5.0, 3.0, 2.0]]

    def kendall(values):
        pairs = itertools.combinations(values, 2)
        return sum(np.sign(earlier - later) for earlier, later in pairs)

    # the variance of Kendall's sum over all orders of these very values, of each size by itself
    variance = sum(
        statistics.pvariance([kendall(order) for order in itertools.permutations(season)])
        for season in seasons
    )
    reach = stats.norm.ppf(0.975) * variance**0.5
    slopes = sorted(
        math.log(season[j] / season[i]) / (2 * (i - j))
        for season in seasons
        for i, j in itertools.combinations(range(5), 2)
    )
    ranks = [(20 - reach) / 2, (20 + reach) / 2 + 1]
    ends = np.interp(ranks, range(1, 21), slopes)
    # the sizes by turns, so that two files of one lie two places apart
    times = [time for pair in zip(*seasons, strict=True) for time in pair]
    [found] = drift.drifts(passes(([10, 20] * 5, times)))
    expected = [math.expm1(9 * slope) for slope in (statistics.median(slopes), *ends)]
    assert found == pytest.approx(expected, rel=1e-9)


def test_drift_that_lies_between_sizes_alone_is_none():
    """Small files first and large ones last: that large ones are faster is no drift."""
    times = [1.0, 1.1, 0.9, 1.05, 1.0, 1.3, 1.2, 1.25, 1.4, 1.3]
    [(found, low, high)] = drift.drifts(passes(([10] * 5 + [1000] * 5, times)))
    assert low < 0 < high
    assert abs(found) < 0.5


@pytest.mark.parametrize("files_of_size", range(2, 11))
def test_where_all_files_of_each_size_take_as_long_no_drift_is_told(files_of_size):
    sizes = [size * 10 for size in range(1, 17)] * files_of_size
    assert drift.drifts(passes((sizes, [float(size) for size in sizes]))) == [None]
    # and one file that differs is enough to tell, and no more than that
    times = [float(size) for size in sizes]
    times[-1] *= 2
    [(found, low, high)] = drift.drifts(passes((sizes, times)))
    assert low <= found <= high


def test_fewer_than_ten_files_that_have_others_of_their_size_tell_no_drift():
    times = [float(time) for time in range(1, 15)]
    alone = list(range(100, 105))
    assert drift.drifts(passes(([10] * 9 + alone, times))) == [None]
    assert drift.drifts(passes(([10] * 10 + alone[:4], times))) != [None]


def test_however_many_passes_are_looked_at_at_once_each_keeps_its_own_drift(monkeypatch):
    dice = np.random.default_rng(2)
    series = [([10, 20] * 6, list(dice.lognormal(size=12))) for _ in range(7)]
    alone = [drift.drifts(passes(one))[0] for one in series]
    # 30 slopes a pass: two at once
    monkeypatch.setattr(drift, "SLOPES_AT_ONCE", 70)
    assert drift.drifts(passes(*series)) == alone


def test_what_every_file_costs_is_the_start_of_the_fitted_line(folders, query):
    made_up.save(made_up.record(made_up.steady(5, 6, per_file_ns=500_000)), folders.runs)
    costs = query("select intercept_ns from file_summary")
    assert [cost for (cost,) in costs] == pytest.approx([500_000, 500_000], rel=1e-4)


def test_files_during_which_the_machine_slept_are_in_no_summary(folders, query):
    made = made_up.record(made_up.noisy(5.0, 6.0))
    made["samples"][10] |= {"slept": True, "elapsed_ns": 10**13}
    made_up.save(made_up.signed(made), folders.runs)
    assert query("select op, files from file_summary order by op desc") == [
        ("write", 159),
        ("read", 160),
    ]
    assert query("select * from file_outlier") == []
