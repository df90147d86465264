"""Tables of single files and of rounds: outliers, order, the cost of every file, the speed of every round."""

import duckdb
import made_up
import numpy as np
import pytest


def later(slower: float) -> made_up.Time:
    """Times that grow with the place in the pass, with a little noise."""

    def time(op: str, order: int, size: int) -> int:
        saw = (order * 7919 % 101) / 100 - 0.5
        return round(size / 5 * (1 + slower * order + 0.02 * saw))

    return time


@pytest.mark.parametrize("slower", [4, 0.25])
def test_a_file_far_slower_or_faster_than_its_size_is_an_outlier_and_no_other_is(
    folders, query, slower
):
    made = made_up.record(made_up.noisy(5.0, 6.0))
    sample = made["samples"][70]
    sample["elapsed_ns"] = round(sample["elapsed_ns"] * slower)
    made_up.save(made, folders.runs)
    [found] = query('select op, "order", size_bytes, ratio, deviation < -3.5 from file_outlier')
    assert found[:3] == (sample["op"], sample["order"], sample["size_bytes"])
    assert found[3] == pytest.approx(1 / slower, rel=0.1)
    assert found[4] == (slower > 1)
    told = query("select op, outliers, slow_outliers from file_summary order by op desc")
    assert told == [
        (op, int(op == sample["op"]), int(op == sample["op"] and slower > 1))
        for op in ("write", "read")
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
    made_up.save(made, folders.runs)
    assert query('select op, "order" from file_outlier') == [("write", large[2]["order"])]


def test_no_outlier_and_no_order_can_be_told_of_one_file_of_a_size_or_of_equal_ones(save, query):
    save(later(0.01), scale="tenth")
    save(made_up.steady(5, 6, per_file_ns=0), scale="smoke")
    assert query("select * from file_outlier") == []
    assert query(
        "select distinct outliers, order_correlation, order_counts, first_file_ratio from file_summary "
        "semi join (from cell where scale = 'tenth') using (cell)"
    ) == [(0, None, None, None)]


# Spearman's correlation of the place with the residual by SciPy, whether it counts, and the first file's rate by the median
# of its size; of five files of a size one is the median, in writing as in reading: equal residuals share their ranks
ORDERS = [
    ("gold", 0.01, (-0.9976444392, True, 1.783220422)),
    ("gold", 0.0, (-0.0173854447, False, 0.9994988473)),
    ("half", 0.01, (-0.9782380014, True, 1.333267209)),
    ("half", 0.0, (0.1288784144, False, 0.9989981968)),
]


@pytest.mark.parametrize(("scale", "slower", "expected"), ORDERS)
def test_later_files_that_are_slower_show_in_the_order(save, query, scale, slower, expected):
    save(later(slower), scale=scale)
    columns = "order_correlation, order_counts, first_file_ratio"
    [found] = query(f"select {columns} from file_summary where op = 'write'")
    assert found == pytest.approx(expected, rel=1e-8)


def test_the_rates_of_all_files_are_summed_up_by_their_quantiles(folders, query):
    made = made_up.record(made_up.noisy(5.0, 6.0))
    made_up.save(made, folders.runs)
    for op in ("read", "write"):
        rates = [
            one["size_bytes"] / one["elapsed_ns"] for one in made["samples"] if one["op"] == op
        ]
        [found] = query(
            "select min_gbps, p5_gbps, median_gbps, p95_gbps, max_gbps "
            f"from file_summary where op = '{op}'"
        )
        assert found == pytest.approx(np.quantile(rates, [0, 0.05, 0.5, 0.95, 1]))


def test_what_every_file_costs_is_the_start_of_the_fitted_line(save, query):
    save(made_up.steady(5, 6, per_file_ns=500_000))
    costs = query("select intercept_ns from file_summary")
    assert [cost for (cost,) in costs] == pytest.approx([500_000, 500_000], rel=1e-4)


# 5 sets of 16 files
ROUND_BYTES = 26_650_000_000


def test_each_round_of_churn_has_its_own_speed(folders, query):
    made = made_up.rounds(made_up.record(protocol="churn", scale="half"), 5, 4, 3, 2.5, 1)
    made_up.save(made, folders.runs)
    found = query("select op, round, files, bytes, total_gbps from round_speed")
    assert [row[:4] for row in found] == [("write", n, 80, ROUND_BYTES) for n in (1, 2, 3, 4, 5)]
    assert [row[4] for row in found] == pytest.approx([5, 4, 3, 2.5, 1], rel=1e-6)


def test_a_phase_that_writes_and_reads_once_has_one_round_of_each(save, query):
    save(made_up.steady(5, 6, per_file_ns=0))
    found = query("select op, round, files, bytes, total_gbps from round_speed")
    assert [row[:4] for row in found] == [(op, 1, 160, 2 * ROUND_BYTES) for op in ("read", "write")]
    assert [row[4] for row in found] == pytest.approx([6, 5])


def test_a_cell_that_failed_in_its_second_round_has_what_it_wrote_of_it(folders, query):
    made = made_up.rounds(made_up.record(protocol="churn"), 5, 4)
    made |= {"status": "failed", "reason": "unplugged", "samples": made["samples"][:165]}
    made_up.save(made, folders.runs)
    assert query("select round, files from round_speed") == [(1, 160), (2, 5)]
