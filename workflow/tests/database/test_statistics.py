"""The statistics compared with slow references and examples done by hand."""

import itertools
import statistics as slow
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats

from database.statistics import RESAMPLES, all_estimates
from database.statistics.resampling import resamples
from database.statistics.series import Files, measured


def estimates(one):
    [found] = all_estimates([one])
    return found


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
        "regression": least_squares(sizes, times),
        "theil_sen": 1 / middle(slopes) if slopes and middle(slopes) > 0 else None,
    }


def least_squares(sizes, times):
    """1 / the slope that a line of least squares has, or None where there is none above 0."""
    size, time = Fraction(sum(sizes), len(sizes)), Fraction(sum(times), len(times))
    together = sum((s - size) * (t - time) for s, t in zip(sizes, times, strict=True))
    return sum((s - size) ** 2 for s in sizes) / together if together > 0 else None


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


def by_size(sizes, values):
    """The values of each size, smallest size first."""
    return [
        [value for size, value in zip(sizes, values, strict=True) if size == one]
        for one in sorted(set(sizes))
    ]


def reach(strata):
    """Variance of a sum over all, and Student's t for it, from the values within each stratum."""
    parts = [
        (len(of) * slow.variance(of), len(of) - 1) if len(of) > 1 else (of[0] ** 2, 1)
        for of in strata
    ]
    variance = sum(part for part, _ in parts)
    squares = sum(part**2 / (degrees + 2) for part, degrees in parts)
    degrees = max(1, variance**2 / squares - 2) if squares else np.inf
    return variance, scipy.stats.t.ppf(0.975, degrees)


@pytest.mark.parametrize(("seed", "sets"), [(1, 10), (2, 5), (3, 3), (4, 2), (5, 1), (6, 1)])
def test_the_ends_of_the_headline_are_slopes_at_the_ranks_of_its_documentation(seed, sets):
    generator = np.random.default_rng(seed)
    sizes = np.tile(np.arange(1, 17) * 1_000_000, sets)
    times = np.rint(sizes * generator.lognormal(0, 0.1, len(sizes)) + 500_000).astype(int)
    pairs = [
        (i, j, (times[j] - times[i]) / (sizes[j] - sizes[i]))
        for i, j in itertools.combinations(range(len(sizes)), 2)
        if sizes[i] != sizes[j]
    ]
    ordered = sorted(slope for *_, slope in pairs)
    median = slow.median(ordered)
    components = [0] * len(sizes)
    for i, j, slope in pairs:
        components[i] += int(np.sign(slope - median))
        components[j] += int(np.sign(slope - median))
    variance, student = reach(by_size(sizes, components))
    far = student * variance**0.5
    found = estimates(files(sizes, times))["theil_sen"]
    # ranks from 1, rounded outwards
    low, high = int(np.floor((len(pairs) - far) / 2)), int(np.ceil((len(pairs) + far) / 2)) + 1
    assert found.gbps == pytest.approx(1 / median, rel=1e-9)
    assert found.high == pytest.approx(1 / ordered[low - 1], rel=1e-9)
    assert found.low == pytest.approx(1 / ordered[high - 1], rel=1e-9)


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


def test_an_interval_without_an_upper_end_has_a_reason():
    found = estimates(files([100, 200, 300, 400], [40, 30, 20, 500]))["theil_sen"]
    assert found.gbps is not None
    assert found.high is None
    assert "no upper end" in found.reason


def test_a_time_of_nothing_gives_no_speed():
    found = estimates(files([100, 200], [0, 10]))
    assert all(one.gbps is None and "no time" in one.reason for one in found.values())


def one_resample(weights, rates, times, sizes):
    """Every summary of files that count so many times each, by definition; two medians."""
    files = sorted(zip(rates, weights, strict=True))
    total = sum(weights)
    cut = int(0.2 * len(rates)) / len(rates) * total
    seen, kept, lower, upper = 0, 0, None, None
    for rate, weight in files:
        before, seen = seen, seen + weight
        kept += rate * max(0, min(seen, total - cut) - max(before, cut))
        lower = rate if lower is None and 2 * seen >= total else lower
        upper = rate if upper is None and 2 * seen > total else upper
    return {
        "total": sum(w * size for w, size in zip(weights, sizes, strict=True))
        / sum(w * time for w, time in zip(weights, times, strict=True)),
        "mean": sum(w * rate for w, rate in zip(weights, rates, strict=True)) / total,
        "trimmed_mean": kept / (total - 2 * cut),
        "median": (lower, upper),
        # np.polyfit squares its weights
        "regression": 1 / np.polyfit(sizes, times, 1, w=np.sqrt(weights))[0],
    }


# as many files of each size, an even and an odd number in a resample; not as many of each; of one size one alone
@pytest.mark.parametrize("counts", [(5, 5, 5, 5), (4, 4, 4), (5, 5, 5, 3), (5, 5, 5, 1)])
def test_the_intervals_are_the_expanded_percentiles_of_two_thousand_resamples(counts):
    uneven = len(set(counts)) > 1
    generator = np.random.default_rng(5)
    sizes = np.repeat([2, 4, 20, 40][: len(counts)], counts) * 1_000_000
    times = np.rint(sizes * generator.lognormal(-1, 0.3, len(sizes)) + 300_000).astype(int)
    rates = sizes / times
    found = estimates(files(sizes, times))
    drawn = [
        one_resample(weights, rates, times, sizes)
        for weights in resamples(sizes).weights.T.tolist()
    ]
    cut = int(0.2 * len(rates))
    low, high = sorted(rates)[cut], sorted(rates)[len(rates) - cut - 1]
    influence = {
        "total": times.tolist(),
        "mean": rates.tolist(),
        "median": [float(rate > slow.median(rates)) for rate in rates],
        "trimmed_mean": [min(max(rate, low), high) for rate in rates],
        "regression": ((sizes - sizes.mean()) * times).tolist(),
    }
    for name, values in influence.items():
        # a size with one file adds nothing
        several = [of for of in by_size(sizes, values) if len(of) > 1]
        share = scipy.stats.norm.sf(reach(several)[1])
        if name == "median":
            both = sorted(value for one in drawn for value in one["median"])
            expected = [both[int(share * len(both))], both[int((1 - share) * len(both))]]
        else:
            # of the slope, whose inverse the speed is
            turned = -1 if name == "regression" else 1
            values = np.array([one[name] for one in drawn]) ** turned
            expected = sorted(np.quantile(values, [share, 1 - share]) ** turned)
        # weights that are no whole numbers are rounded to 2**-20
        rel = 1e-5 if uneven else 1e-9
        assert [found[name].low, found[name].high] == pytest.approx(expected, rel=rel)


def test_resamples_are_drawn_from_the_documented_generator():
    # by PCG64 (XSL-RR 128/64) written out: two draws of three files for each of two sizes
    drawn = [[2, 0, 0, 1, 1, 0], [0, 1, 1, 1, 0, 2], [0, 1, 1, 0, 1, 0],
             [0, 0, 0, 2, 1, 1], [2, 1, 2, 0, 0, 1], [0, 1, 0, 0, 1, 0]]  # fmt: skip
    weights = resamples(np.array([1, 1, 1, 9, 9, 9])).weights
    assert weights[:, :6].tolist() == drawn
    assert weights.sum(axis=0).tolist() == [4] * RESAMPLES


def test_every_resample_has_one_file_of_each_size_less_each_counted_for_more():
    drawn = resamples(np.array([3, 3, 3, 3, 5, 7, 7]))
    by_size = np.add.reduceat(drawn.weights, [0, 4, 5], axis=0)
    assert by_size == pytest.approx(np.repeat([[4.0], [1.0], [2.0]], RESAMPLES, axis=1), abs=4e-6)
    # three draws of four files: each counts 0, 1, 2 or 3 times 4 / 3, rounded
    counted = drawn.weights[:4] / (4 / 3)
    assert counted == pytest.approx(np.rint(counted), abs=1e-6)
    assert set(drawn.weights[4]) == {1.0}
    assert set(drawn.weights[5]) == {0.0, 2.0}


def test_with_one_file_of_each_size_there_are_speeds_without_intervals_and_a_reason():
    found = estimates(files([100, 200, 300, 400], [10, 21, 29, 41]))
    for name in ("total", "mean", "median", "trimmed_mean", "regression"):
        assert found[name].gbps > 0
        assert (found[name].low, found[name].high) == (None, None)
        assert "one file of each size" in found[name].reason


def test_the_interval_of_a_cell_depends_neither_on_its_name_nor_on_other_cells():
    generator = np.random.default_rng(3)
    sizes = np.tile([1, 2, 3, 4], 8)
    series = [
        files(sizes, generator.integers(5, 90, size=32), cell=str(number)) for number in range(40)
    ]
    together = all_estimates(series)
    for number, one in enumerate(series):
        assert estimates(one) == together[number]
    renamed = Files("other", "read", series[0].size_bytes, series[0].elapsed_ns)
    assert estimates(renamed) == together[0]


def test_the_files_of_a_cell_are_in_the_order_in_which_they_were_measured(example):
    found = [(one.cell, one.op, one.elapsed_ns.tolist()) for one in measured(example)]
    expected = example.execute("""
        select cell, op, list(elapsed_ns order by "order")
        from sample inner join cell using (cell)
        where status = 'measured' and not slept group by all order by all
    """)
    assert found == expected.fetchall()
