"""What is told of single files: outliers, order, the cost of every file."""

import math
import statistics

import made_up
import numpy as np
import pytest
from scipy import stats


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

    # against scipy's Theil-Sen, whose ranks for the ends are rounded inwards
    slope, _, *ends = stats.theilslopes(residuals, range(len(residuals)))
    assert drift == pytest.approx(100 * math.expm1(slope * 159), rel=1e-9)
    assert [low, high] == pytest.approx([100 * math.expm1(end * 159) for end in ends], rel=0.02)
    assert (high < 0) == bool(sign)

    # the largest median absolute deviation of its size and of the whole pass, by scipy
    usual = logs[written[0]["size_bytes"]]
    of_size, of_pass = (
        stats.median_abs_deviation(values, center=center, scale=1 / 1.4826)
        for values, center in ((usual, np.median), (residuals, lambda values, axis: 0.0))
    )
    expected = residuals[0] / max(of_size, of_pass)
    assert unusual == pytest.approx(expected, rel=1e-9)


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
