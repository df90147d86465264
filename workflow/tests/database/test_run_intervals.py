"""Intervals between runs, and information shared within a family."""

import made_up
import numpy as np
import pytest
from scipy import stats

from database.run_intervals import FEWEST_RUNS, intervals


def by_repeat(values):
    return [dict(enumerate(row, start=1)) for row in np.atleast_2d(values)]


def test_an_item_by_itself_has_students_interval():
    values = [0.1, 0.25, 0.3, 0.31]
    expected = stats.ttest_1samp(values, 0)
    [found] = intervals(by_repeat(values))
    assert (found.low, found.high) == pytest.approx(expected.confidence_interval(0.95))
    assert found.p == pytest.approx(expected.pvalue)
    assert (found.runs, found.degrees) == (4, 3)


@pytest.mark.parametrize("runs", [1, 2])
def test_fewer_than_three_runs_have_a_mean_and_nothing_else(runs):
    values = [0.5, 0.7, 0.9]
    one, other = intervals([dict(enumerate(values[:runs])), dict(enumerate(values))])
    assert (one.runs, one.mean) == (runs, pytest.approx(np.mean(values[:runs])))
    assert (one.low, one.high, one.p, one.spread, one.degrees) == (None,) * 5
    assert other.runs == 3 and other.low < 0.7 < other.high


def test_a_repeat_that_one_item_lacks_is_left_out_of_that_item_alone():
    items = [{1: 1.0, 2: 2.0, 3: 3.0}, {1: 5.0, 3: 7.0, 4: 6.0, 5: 6.0}]
    one, other = intervals(items)
    assert (one.runs, one.mean, other.runs, other.mean) == (3, 2.0, 4, 6.0)


def test_the_family_agrees_on_its_prior_as_smyths_model_has_it():
    # 20,000 variances of the model: s0**2 = 0.04 with d0 = 6 degrees, and 2 degrees of their own.
    # Then a variance is drawn to (6 x 0.04 + 2 x its own) / 8, and has 8 degrees of freedom.
    dice = np.random.default_rng(5)
    true = 0.04 * 6 / dice.chisquare(6, 20_000)
    values = dice.normal(0, 1, (20_000, 3)) * true[:, None] ** 0.5
    found = intervals(by_repeat(values))
    own = values.var(axis=1, ddof=1)
    expected = (6 * 0.04 + 2 * own) / 8
    spreads = np.array([one.spread for one in found])
    assert spreads**2 == pytest.approx(expected, rel=0.05)
    assert found[0].degrees == pytest.approx(8, rel=0.05)


def test_items_of_one_variance_share_all_their_degrees_of_freedom():
    dice = np.random.default_rng(7)
    found = intervals(by_repeat(dice.normal(0, 0.1, (12, 3))))
    # 12 items with 2 degrees each
    assert 15 < found[0].degrees <= 24
    assert len({one.spread for one in found}) <= 12


def test_items_that_are_slow_in_the_same_repeat_count_as_one():
    # all twelve differ alike from repeat to repeat: one item, seen twelve times
    repeats = np.array([0.0, -0.3, 0.1])
    dice = np.random.default_rng(3)
    found = intervals(by_repeat(repeats + dice.normal(0, 0.001, (12, 3))))
    assert found[0].degrees == pytest.approx(2, rel=0.01)
    alone = stats.ttest_1samp(repeats, 0).confidence_interval(0.95)
    assert (found[0].low, found[0].high) == pytest.approx(tuple(alone), rel=0.02)


def test_runs_without_any_difference_have_an_interval_without_width():
    for one in intervals(by_repeat(np.full((3, 3), 0.2))):
        assert (one.low, one.mean, one.high, one.p) == pytest.approx((0.2, 0.2, 0.2, 0))


def test_the_interval_of_three_runs_is_students_of_their_logarithms(save, query):
    # each run is a tenth faster than the one before; t for two degrees of freedom is 4.303
    save(*(made_up.noisy(gbps, gbps, spread=0.02) for gbps in (4.0, 4.4, 4.84)))
    [found] = query(
        "select gbps, spread, gbps_low, gbps_high from repeated_speed "
        "where op = 'write' and statistic = 'theil_sen'"
    )
    reach = 1.1 ** (4.303 / 3**0.5)
    assert found == pytest.approx((4.4, 0.1, 4.4 / reach, 4.4 * reach), rel=0.002)


OLD, NEW = "macos-26.4-25E246", "macos-26.5-25F71"
PLAIN = {"host": "made-up-mac", "release": OLD, "driver": "portable", "format": "UDSB"}
# what is compared in each table of runs
COMPARED = {
    "repeated_speed": [PLAIN],
    "release_change": [PLAIN, PLAIN | {"release": NEW}],
    "encryption_cost": [PLAIN, PLAIN | {"encryption": "AES-256"}],
    "format_cost": [PLAIN, PLAIN | {"driver": "native", "format": "native"}],
}
SOURCES = dict(zip(COMPARED, ("stg_run", "stg_release_pair", "stg_encryption_pair", "stg_format_pair"), strict=True))  # fmt: skip


@pytest.mark.parametrize("table", COMPARED)
def test_what_is_not_comparable_shares_no_variance_with_what_is(save, query, table):
    # three images that are not comparable differ by 3 % from run to run, the one that is by 10 %, and only
    # it tells how much it does: the spread is that of its own three runs, of 2 degrees of freedom
    of_others = {"UDRW": (0.97, 1.0, 1.03), "UDSP": (1.03, 0.97, 1.0), "ASIF": (1.0, 1.03, 0.97)}
    in_memory = {"warnings": [made_up.IN_MEMORY]}
    first, *second = COMPARED[table]
    for form, runs in ({"UDSB": (0.9, 1.0, 1.1)} | of_others).items():
        parts = in_memory if form in of_others else None
        save(*made_up.repeats(4.0, 4.0, runs), parts=parts, **first | {"format": form})
        for cell in second:
            of_image = {} if cell["format"] == "native" else {"parts": parts, "format": form}
            save(*made_up.repeats(4.0, 4.0, (1.0,) * 3), **cell | of_image)
    query(f"select count(*) from {table}")
    found = query(
        "select distinct round(spread, 2), degrees from stg_run_interval where source = ? and contains(item, 'UDSB')",
        SOURCES[table],
    )
    assert found == [(0.1, 2)]


def test_the_fewest_runs_of_an_interval_are_those_of_every_verdict(query):
    assert query("select tolerance from verdict_rule where rule = 'runs'") == [(FEWEST_RUNS,)]
