"""The test between two releases, against scipy's for one size and against all permutations."""

import itertools
from collections import Counter
from fractions import Fraction

import made_up
import numpy as np
import pytest
import scipy.stats

from database.release_tests import van_elteren
from database.statistics import Files


def files(sizes, times):
    return Files("made-up", "write", np.array(sizes), np.array(times))


def test_with_one_size_it_is_the_mann_whitney_test():
    one, other = [3, 5, 5, 8, 13, 21, 4], [5, 9, 14, 22, 30, 31, 8]
    expected = scipy.stats.mannwhitneyu(one, other, method="asymptotic", use_continuity=False)
    found = van_elteren(files([1] * 7, one), files([1] * 7, other))
    assert found == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_with_one_size_and_few_files_it_is_the_exact_mann_whitney_test(seed):
    times = np.random.default_rng(seed).permutation(100)[:9]
    expected = scipy.stats.mannwhitneyu(times[:4], times[4:], method="exact").pvalue
    found = van_elteren(files([1] * 4, times[:4]), files([1] * 5, times[4:]))
    assert found == pytest.approx(expected, rel=1e-9)


def test_with_one_file_of_each_size_on_each_side_it_is_the_sign_test():
    sizes = list(range(1, 17))
    one = [10 * size for size in sizes]
    for slower in range(17):
        other = [
            time + (1 if size <= slower else -1) for size, time in zip(sizes, one, strict=True)
        ]
        expected = scipy.stats.binomtest(slower, 16).pvalue
        assert van_elteren(files(sizes, one), files(sizes, other)) == pytest.approx(
            expected, rel=1e-9
        )


@pytest.mark.parametrize("seed", range(12))
def test_with_few_files_it_is_that_of_all_permutations_within_the_sizes(seed):
    # ties, and sizes with more files than others
    dice = np.random.default_rng(seed)
    strata = [
        (dice.integers(1, 9, mine).tolist(), dice.integers(1, 9, theirs).tolist())
        for mine, theirs in ((4, 3), (2, 2), (1, 3))
    ]

    def sums(mine, theirs):
        """(rank sum - its expectation) / (N + 1) of what was seen, and of every parting."""
        ranks = [Fraction(str(rank)) for rank in scipy.stats.rankdata(mine + theirs)]
        count = len(ranks)
        middle = Fraction(len(mine) * (count + 1), 2)
        return (
            (sum(ranks[: len(mine)]) - middle) / (count + 1),
            [
                (sum(chosen) - middle) / (count + 1)
                for chosen in itertools.combinations(ranks, len(mine))
            ],
        )

    told = [sums(*one) for one in strata]
    seen = abs(sum(one for one, _ in told))
    every = [abs(sum(one)) for one in itertools.product(*(all_of for _, all_of in told))]
    one, other = (
        files(
            [size for size, parts in enumerate(strata) for _ in parts[side]],
            [time for parts in strata for time in parts[side]],
        )
        for side in (0, 1)
    )
    expected = sum(value >= seen for value in every) / len(every)
    assert van_elteren(one, other) == pytest.approx(expected, rel=1e-9)


def test_at_scale_half_it_is_that_of_all_partings_of_five_and_five_files():
    sizes = np.tile(np.arange(1, 17), 5)
    dice = np.random.default_rng(8)
    one, other = (dice.permutation(1000)[:80] + shift for shift in (0, 250))
    of_one_size = Counter(sum(chosen) for chosen in itertools.combinations(range(1, 11), 5))
    partings = Counter({0: 1})
    for _ in range(16):
        partings, before = Counter(), partings
        for (so_far, ways), (more, ways_of_it) in itertools.product(
            before.items(), of_one_size.items()
        ):
            partings[so_far + more] += ways * ways_of_it
    seen = sum(
        scipy.stats.rankdata(np.concatenate([one[sizes == size], other[sizes == size]]))[:5].sum()
        for size in range(1, 17)
    )
    # 27.5 is the middle of each size
    far = sum(
        ways for total, ways in partings.items() if abs(total - 16 * 27.5) >= abs(seen - 16 * 27.5)
    )
    assert van_elteren(files(sizes, one), files(sizes, other)) == pytest.approx(
        far / 252**16, rel=1e-9
    )


def test_sizes_with_many_files_do_not_drown_those_with_few():
    # the difference of each stratum's rank sum from its expectation, weighted with 1 / (N + 1), over
    # the root of the weighted sum of m n (N + 1) / 12: van Elteren (1960), by hand
    one = files([1, 1, 1] + [2] * 6, [1, 2, 3, 11, 13, 15, 17, 20, 30])
    other = files([1, 1, 1] + [2] * 5, [4, 5, 6, 12, 14, 16, 18, 19])
    # size 1: ranks 1 2 3 of 6, expected 10.5; size 2: ranks 1 3 5 7 10 11 of 11, expected 36
    difference = (6 - 10.5) / 7 + (37 - 36) / 12
    variance = 3 * 3 * 7 / 12 / 7**2 + 6 * 5 * 12 / 12 / 12**2
    expected = 2 * scipy.stats.norm.cdf(-abs(difference) / variance**0.5)
    assert van_elteren(one, other) == pytest.approx(expected, rel=1e-9)


def test_sizes_are_compared_with_themselves():
    # the second release is 1 % slower at every size; pooled over sizes this would drown
    sizes = [1000 * 4**power for power in range(8) for _ in range(6)]
    one = [size + repeat for size, repeat in zip(sizes, itertools.cycle(range(6)), strict=False)]
    other = [round(time * 1.01) for time in one]
    assert van_elteren(files(sizes, one), files(sizes, other)) < 1e-6
    pooled = scipy.stats.mannwhitneyu(one, other).pvalue
    assert pooled > 0.05


def test_equal_files_differ_by_nothing_but_chance():
    sizes, times = [1, 1, 2, 2], [10, 11, 20, 22]
    assert van_elteren(files(sizes, times), files(sizes, times)) == pytest.approx(1)


def test_without_a_size_in_common_there_is_no_p():
    assert van_elteren(files([1, 1], [5, 6]), files([2, 2], [5, 6])) is None
    assert van_elteren(files([1, 1], [5, 5]), files([1, 1], [5, 5])) is None


def two_releases(folders, later_write, **cell):
    for release, write in (("macos-26.9-25E", 4.0), ("macos-26.10-25F", later_write)):
        time = made_up.noisy(write, 6.0, spread=0.02)
        made_up.save(made_up.record(time, release=release, **cell), folders.runs)


def test_two_releases_give_the_ratio_of_their_headlines(folders, query):
    two_releases(folders, later_write=3.0)
    columns = "op, earlier_release, later_release, ratio, ratio_low, ratio_high, p, comparable"
    [read, write] = query(f"select {columns} from release_change order by op")
    # 26.10 comes after 26.9
    assert write[:3] == ("write", "macos-26.9-25E", "macos-26.10-25F")
    assert write[3] == pytest.approx(0.75, rel=0.002)
    assert write[4] < 0.75 < write[5] < 1
    assert write[6] < 1e-20
    assert read[3] == pytest.approx(1)
    assert read[4] < 1 < read[5]
    assert read[6] == pytest.approx(1)
    assert (read[7], write[7]) == (True, True)


def test_the_interval_of_a_ratio_is_made_from_the_two_intervals(folders, query):
    two_releases(folders, later_write=3.0)
    speeds = {
        release: found
        for release, *found in query(
            """select release, theil_sen_gbps, theil_sen_gbps_low, theil_sen_gbps_high
            from measured_speed where op = 'write'"""
        )
    }
    (a, a_low, a_high), (b, b_low, b_high) = speeds["macos-26.9-25E"], speeds["macos-26.10-25F"]
    below = (np.log(b / b_low) ** 2 + np.log(a_high / a) ** 2) ** 0.5
    above = (np.log(b_high / b) ** 2 + np.log(a / a_low) ** 2) ** 0.5
    [(low, high)] = query("select ratio_low, ratio_high from release_change where op = 'write'")
    assert low == pytest.approx(b / a * np.exp(-below))
    assert high == pytest.approx(b / a * np.exp(above))


def test_three_releases_give_every_pair_and_say_which_follow_each_other(folders, query):
    for release in ("macos-26.3.1-25D", "macos-26.4-25E", "macos-27.0-26A"):
        made_up.save(made_up.record(release=release), folders.runs)
    found = query(
        "select earlier_release, later_release, consecutive from release_change where op = 'read'"
    )
    assert found == [
        ("macos-26.3.1-25D", "macos-26.4-25E", True),
        ("macos-26.3.1-25D", "macos-27.0-26A", False),
        ("macos-26.4-25E", "macos-27.0-26A", True),
    ]


def test_cells_of_two_hosts_or_repeats_are_no_pair(folders, query):
    made_up.save(made_up.record(release="macos-26.4-25E"), folders.runs)
    made_up.save(made_up.record(release="macos-27.0-26A", repeat=2), folders.runs)
    made_up.save(made_up.record(release="macos-27.0-26A", host="made-up-other"), folders.runs)
    assert query("select count(*) from release_change") == [(0,)]


def test_a_pair_measured_with_two_epochs_of_the_harness_is_not_comparable(folders, query):
    old = made_up.record(release="macos-26.4-25E")
    new = made_up.record(release="macos-27.0-26A")
    new["harness"]["epoch"] = 2
    made_up.save(old, folders.runs)
    made_up.save(made_up.signed(new), folders.runs)
    [(comparable, why)] = query(
        "select distinct comparable, why_not_comparable from release_change"
    )
    assert not comparable
    assert "epoch 1 and of epoch 2" in why


def test_a_cell_that_failed_later_is_a_pair_without_a_ratio_and_says_why(folders, query):
    made_up.save(made_up.record(release="macos-26.4-25E"), folders.runs)
    later = made_up.record(release="macos-27.0-26A")
    made_up.save(made_up.without_figures(later, "failed", "the disk was full"), folders.runs)
    found = query("select ratio, p, comparable, why_not_comparable from release_change")
    assert found == [(None, None, False, "macos-27.0-26A: failed: the disk was full")] * 2
