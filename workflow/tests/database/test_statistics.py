"""The summaries against slow references, tiny examples done by hand, and what must not change them."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from database import statistics
from database.statistics import Files, estimates


def files(sizes, times, cell="made-up", op="write"):
    return Files(cell, op, np.array(sizes), np.array(times))


def reference(sizes, times):
    """Every summary as its textbook has it, in exact fractions."""
    rates = sorted(Fraction(size, time) for size, time in zip(sizes, times, strict=True))
    count = len(rates)
    cut = count // 5
    kept = rates[cut : count - cut]
    slopes = sorted(
        Fraction(t2 - t1, s2 - s1)
        for (s1, t1), (s2, t2) in itertools.combinations(zip(sizes, times, strict=True), 2)
        if s1 != s2
    )
    return {
        "total": Fraction(sum(sizes), sum(times)),
        "mean": sum(rates) / count,
        "median": middle(rates),
        "trimmed_mean": sum(kept) / len(kept),
        "theil_sen": 1 / middle(slopes) if slopes and middle(slopes) > 0 else None,
    }


def middle(values):
    half = len(values) // 2
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2


@pytest.mark.parametrize("seed", range(60))
def test_every_summary_is_that_of_the_slow_reference(seed):
    # from 1 to 25 files; few different numbers, so with ties, or many
    generator = np.random.default_rng(seed)
    count = int(generator.integers(1, 26))
    sizes = generator.integers(1, generator.choice([4, 2_000_000_000]), size=count).tolist()
    times = generator.integers(1, generator.choice([4, 10**11]), size=count).tolist()
    expected = reference(sizes, times)
    for name, found in estimates(files(sizes, times)).items():
        if expected[name] is None:
            assert (found.gbps, found.low, found.high) == (None, None, None)
            assert found.reason
        else:
            assert found.gbps == pytest.approx(float(expected[name]), rel=1e-9)
            assert found.low is None or found.low <= found.gbps * (1 + 1e-9)
            assert found.high is None or found.gbps <= found.high * (1 + 1e-9)


def test_five_files_summarised_by_hand():
    # rates 1, 2, 4, 5, 10 GB/s; all bytes 1500 in 500 ns; without lowest and highest (2 + 4 + 5) / 3
    found = estimates(files([100, 200, 400, 300, 500], [100, 100, 100, 60, 50]))
    assert found["total"].gbps == pytest.approx(1500 / 410)
    assert found["mean"].gbps == pytest.approx(4.4)
    assert found["median"].gbps == 4
    assert found["trimmed_mean"].gbps == pytest.approx(11 / 3)


def test_the_interval_of_the_headline_is_that_of_sen():
    # Sen (1968): with C = 1.96 sqrt(n (n - 1) (2 n + 5) / 18) the interval goes from the (N - C) / 2 th
    # of the N slopes to the (N + C) / 2 + 1 th
    sizes = [1_000_000 * number for number in range(1, 41)]
    times = [size // 5 + number**3 * 7919 % 900_001 for number, size in enumerate(sizes)]
    slopes = sorted(
        (t2 - t1) / (s2 - s1)
        for (s1, t1), (s2, t2) in itertools.combinations(zip(sizes, times, strict=True), 2)
    )
    reach = 1.959964 * (40 * 39 * 85 / 18) ** 0.5
    first, last = (len(slopes) - reach) / 2, (len(slopes) + reach) / 2 + 1
    found = estimates(files(sizes, times))["theil_sen"]
    # the ranks are no whole numbers: one slope to either side is allowed
    assert slopes[int(first) - 2] <= 1 / found.high <= slopes[int(first) + 1]
    assert slopes[int(last) - 3] <= 1 / found.low <= slopes[int(last)]
    assert found.low < found.gbps < found.high


def test_what_every_file_costs_does_not_change_the_headline_but_the_total():
    sizes = [2_000_000 * number for number in range(1, 17)]
    quick = estimates(files(sizes, [size // 4 for size in sizes]))
    slow_to_open = estimates(files(sizes, [size // 4 + 5_000_000 for size in sizes]))
    assert quick["theil_sen"].gbps == pytest.approx(4)
    assert slow_to_open["theil_sen"].gbps == pytest.approx(4)
    assert slow_to_open["total"].gbps < 2.5


def test_a_few_outliers_do_not_move_the_headline():
    sizes = [1_000_000 * number for number in range(1, 41)]
    times = [size // 5 for size in sizes]
    times[20] *= 100
    times[33] *= 100
    found = estimates(files(sizes, times))
    assert found["theil_sen"].gbps == pytest.approx(5, rel=0.001)
    assert found["total"].gbps < 1


@pytest.mark.parametrize(
    ("sizes", "times", "why"),
    [
        ([100, 100, 100], [1, 2, 3], "one size"),
        ([100], [5], "one size"),
        ([100, 200, 300], [30, 20, 10], "took no longer"),
        ([100, 200, 300], [10, 10, 10], "took no longer"),
    ],
)
def test_without_a_slope_there_is_no_headline_but_a_reason(sizes, times, why):
    found = estimates(files(sizes, times))
    assert (found["theil_sen"].gbps, found["theil_sen"].low) == (None, None)
    assert why in found["theil_sen"].reason
    assert found["total"].gbps == pytest.approx(sum(sizes) / sum(times))


def test_an_interval_without_an_upper_end_says_so():
    found = estimates(files([100, 200, 300, 400], [40, 30, 20, 500]))["theil_sen"]
    assert found.gbps is not None
    assert found.high is None
    assert "no upper end" in found.reason


def test_a_time_of_nothing_gives_no_speed():
    found = estimates(files([100, 200], [0, 10]))
    assert all(one.gbps is None and "no time" in one.reason for one in found.values())


def test_the_intervals_are_the_percentiles_of_two_thousand_resamples():
    sizes = [2, 4, 2, 4, 4, 20, 40, 20, 40, 2]
    times = [3, 3, 5, 9, 4, 21, 17, 40, 33, 61]
    by_rate = sorted(zip(sizes, times, strict=True), key=lambda file: Fraction(*file))
    in_order = np.array([size for size, _ in by_rate])
    draws = statistics.resampled(in_order, statistics.seed_of("made-up", "write"))
    totals, medians = [], []
    for draw in draws.tolist():
        drawn = [by_rate[number] for number in draw]
        totals.append(sum(size for size, _ in drawn) / sum(time for _, time in drawn))
        medians.append(float(middle(sorted(Fraction(*file) for file in drawn))))
    found = estimates(files(sizes, times))
    for name, values in (("total", totals), ("median", medians)):
        ordered = sorted(values)
        assert ordered[49] <= found[name].low <= ordered[50]
        assert ordered[1949] <= found[name].high <= ordered[1950]


def test_resamples_are_drawn_from_the_documented_generator():
    # PCG64 (XSL-RR 128/64) written out, from the state that NumPy seeds
    state = np.random.PCG64(7).state["state"]
    value, increment = state["state"], state["inc"]
    expected = []
    for _ in range(32):
        value = (value * 0x2360ED051FC65DA44385DF649FCCF645 + increment) % 2**128
        word, turn = (value >> 64) ^ (value & (2**64 - 1)), value >> 122
        raw = ((word >> turn) | (word << (64 - turn))) % 2**64
        expected.append((raw >> 32) * 16 >> 32)
    assert statistics.resampled(np.full(16, 5), 7)[:2].ravel().tolist() == expected


def test_every_file_is_drawn_about_equally_often():
    sizes = np.tile([2, 4, 6, 8], 40)
    counts = np.bincount(statistics.resampled(sizes, 1).ravel().astype(int), minlength=160)
    assert len(counts) == 160
    assert counts.min() > 1800
    assert counts.max() < 2200


def test_every_resample_has_as_many_files_of_each_size_as_were_measured():
    sizes = np.array([7, 3, 7, 5, 3, 7])
    draws = statistics.resampled(sizes, 1)
    assert (np.sort(sizes[draws], axis=1) == [3, 3, 5, 7, 7, 7]).all()


def test_the_size_of_files_alone_gives_no_width_to_an_interval():
    # small files are slow and large ones quick, but each size is always the same
    sizes = [1_000_000, 1_000_000_000] * 10
    times = [1_000_000, 100_000_000] * 10
    found = estimates(files(sizes, times))
    for name in ("total", "mean", "trimmed_mean"):
        assert found[name].low == pytest.approx(found[name].gbps)
        assert found[name].high == pytest.approx(found[name].gbps)


def test_with_one_file_of_each_size_there_are_speeds_without_intervals_and_a_reason():
    found = estimates(files([100, 200, 300, 400], [10, 21, 29, 41]))
    for name in ("total", "mean", "median", "trimmed_mean"):
        assert found[name].gbps > 0
        assert (found[name].low, found[name].high) == (None, None)
        assert "one file of each size" in found[name].reason


def test_the_interval_of_a_cell_depends_on_its_name_alone():
    sizes = [1, 2, 3, 4] * 8
    times = [10 + number * number % 37 for number in range(32)]
    first = estimates(files(sizes, times))["mean"]
    assert estimates(files(sizes, times))["mean"] == first
    assert estimates(files(sizes, times, cell="other"))["mean"] != first
    assert estimates(files(sizes, times, op="read"))["mean"] != first


def test_a_bootstrap_interval_covers_the_truth_about_as_often_as_it_says():
    generator = np.random.default_rng(20260323)
    covered = 0
    for number in range(100):
        times = generator.gamma(25, 4000, size=160).round().astype(int)
        found = estimates(files([100_000] * 160, times.tolist(), cell=str(number)))["total"]
        covered += found.low <= 1 <= found.high
    assert 88 <= covered <= 100
