"""The statistics on synthetic machines with known values: `prove.sh statistics` with fewer cells."""

import json
from statistics import fmean

import numpy as np
import pytest
import scipy.stats

from proofs.statistics import coverage, worlds
from proofs.statistics.simulated import MACHINES, POPULATION, Machine, truth
from proofs.support import proof

CELLS = 200

# Of 200 intervals that hold in 95 % of cells, fewer or more than these held in one case of 10,000.
FEWEST, MOST = (int(scipy.stats.binom.ppf(share, CELLS, 0.95)) for share in (1e-4, 1 - 1e-4))


@pytest.mark.parametrize("scale", ["gold", "tenth"])
def test_intervals_hold_the_truth_as_often_as_they_say(scale):
    machines = [machine for machine in MACHINES if machine.name in ("10 % noise", "5 % outliers")]
    found = [one for machine in machines for one in coverage.of_machine(scale, machine, CELLS, 7)]
    # at tenth only the headline has an interval; with outliers only the robust ones claim one
    assert len(found) == (2 if scale == "tenth" else 9)
    for one in found:
        assert FEWEST <= one.held <= MOST, one


def test_the_truth_is_that_of_the_formula_where_there_is_one():
    machine = Machine("without latency", 0.2, latency_ns=0)
    found = truth(machine, "gold")
    # log-normal noise: the mean of its inverse, and of itself, is exp(spread**2 / 2), its median 1
    off = 5 * 0.2 / (16 * POPULATION) ** 0.5
    assert found["mean"] == pytest.approx(5 * np.exp(0.02), abs=5 * off)
    assert found["median"] == pytest.approx(5, abs=6 * off)
    assert found["total"] == pytest.approx(5 / np.exp(0.02), rel=0.01)
    kept = scipy.stats.lognorm(0.2, scale=5)
    middle = kept.expect(lb=kept.ppf(0.2), ub=kept.ppf(0.8), conditional=True)
    assert found["trimmed_mean"] == pytest.approx(middle, abs=5 * off)


# where runs do not differ, where they differ by 20 %, and where they are slow together
@pytest.mark.parametrize(
    "world", [worlds.WORLDS[at] for at in (0, 4, -1)], ids=lambda world: world.name
)
def test_in_no_world_is_a_change_said_of_many_families_where_nothing_changed(world):
    found = worlds.told(world, 3, 1.0, 40, 3)
    # of 40 families with a chance of 5 %, more than 7 once in 1,000 cases
    assert fmean(found.alarmed) <= 7 / 40
    # the pairs of one family and direction may be all alike: 80 of these, and three standard errors
    assert fmean(found.covered) >= 0.95 - 3 * (0.95 * 0.05 / 80) ** 0.5


def test_where_all_cells_vary_alike_few_formats_are_said_to_cost_what_none_costs():
    for world in worlds.WORLDS[:6]:
        assert sum(worlds.false_costs(world, 3, 40, 3)) <= 7, world.name


def test_the_kept_figures_show_the_chance_of_a_false_alarm_that_the_page_of_methods_states():
    kept = json.loads((proof.PROOFS / "statistics.json").read_text(encoding="utf-8"))
    alarms = [one for one in kept["figures"] if "two releases with any false" in one["what"]]
    assert len(alarms) == 2 * len(worlds.WORLDS)
    assert all(one["high"] < 5 for one in alarms)


def test_the_kept_figures_show_where_false_costs_are_more_than_the_rule_allows():
    kept = json.loads((proof.PROOFS / "statistics.json").read_text(encoding="utf-8"))
    false = {
        one["what"].partition(": ")[2]: one["value"]
        for one in kept["figures"]
        if one["what"].startswith("Comparisons of formats")
    }
    assert len(false) == 2 * len(worlds.WORLDS)
    alike = max(value for world, value in false.items() if "runs differ by" in world)
    for world in (worlds.WORLDS[6], worlds.WORLDS[8]):
        assert false[f"3 runs, {world.name}"] > max(5, alike)


def test_a_change_beyond_what_runs_differ_by_is_found():
    assert fmean(worlds.told(worlds.WORLDS[2], 5, 2.0, 4, 3).changed) > 0.95
    # 40 % from run to run: half as fast again is no news
    assert fmean(worlds.told(worlds.WORLDS[5], 3, 1.5, 4, 3).changed) < 0.2
