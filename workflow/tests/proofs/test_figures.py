"""The figures of proofs, and their goals."""

import pytest

from proofs import database, fleet, fleet_scale
from proofs.statistics import in_world, of_machines
from proofs.statistics.coverage import Coverage
from proofs.support import changes

OVERHEAD, SECONDS, READ, WRITE = range(4)


def overhead(added, speeds):
    times = [{"run.sh": 100.0, "fleet": 100.0 + percent} for percent in added]
    return fleet.figures(times, {"read": speeds, "write": speeds}, "a study")


def test_a_fleet_costs_the_time_that_it_adds_and_the_speed_that_it_changes():
    found = overhead([1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.5, 90.0], [0.98] * 9)
    assert (found[OVERHEAD].value, found[OVERHEAD].low, found[OVERHEAD].high) == pytest.approx(
        (2.0, 2.0, 2.5)
    )
    assert found[SECONDS].value == 100
    assert [found[one].reached for one in (OVERHEAD, READ, WRITE)] == [True, True, True]
    found = overhead([3.1] * 9, [0.9] * 9)
    assert [found[one].reached for one in (OVERHEAD, READ, WRITE)] == [False, False, False]


def test_a_round_is_one_ratio_however_many_cells_it_has():
    rates = {
        "run.sh": {("a", "read"): 2.0, ("b", "read"): 4.0, ("c", "read"): 5.0, ("a", "write"): 1.0},
        "fleet": {("a", "read"): 1.0, ("b", "read"): 3.0, ("c", "read"): 5.0, ("a", "write"): 3.0},
    }
    assert fleet.by_op(rates) == {"read": 0.75, "write": 3.0}


def scaled(cpu_seconds):
    def rounds(count, seconds):
        one = {"filed_seconds": count / 40, "cpu_seconds": seconds}
        one |= {"resident_bytes": 2e6 * count, "coordinator_bytes": 1e6 * count}
        return one

    return fleet_scale.figures(
        {
            100: [rounds(100, 1.0) for _ in cpu_seconds],
            1000: [rounds(1000, seconds) for seconds in cpu_seconds],
        }
    )


def test_what_a_host_costs_is_in_proportion_where_each_host_costs_no_more_than_a_quarter_more():
    _, filed, *_, processor, held = scaled([10.0] * 6)
    # of a second, at the most hosts
    assert (filed.value, filed.reached) == (pytest.approx(40.0), False)
    # ten times the hosts, ten times the seconds
    assert processor.value == pytest.approx(1.0)
    assert (processor.reached, held.reached) == (True, True)
    assert scaled([15.0] * 6)[-2].reached is False


def test_what_the_database_takes_is_judged_over_rounds():
    def cost(seconds, peak_bytes=1_000_000_000):
        return database.Cost(seconds, 2 * seconds, peak_bytes)

    # 320 files a record: 320,000 of them
    for news, updates, value, verdicts in (
        (cost(1.0), cost(1.9), 320_000, [True, True, True]),
        (cost(2.0, 3_000_000_000), cost(2.1), 160_000, [False, False, False]),
    ):
        told = database.loading(1_000, [news] * 6, [updates] * 6)
        found = {figure.what.removeprefix("1,000 records: "): figure for figure in told}
        assert found["measured files loaded per second"].value == value
        of_goals = ("measured files loaded per second", "highest memory", "time to add one record")
        assert [found[name].reached for name in of_goals] == verdicts


def machines(*held):
    return [Coverage("gold", f"machine {at}", "mean", 2_000, one) for at, one in enumerate(held)]


def test_coverage_is_as_claimed_where_the_interval_of_each_machine_says_so():
    # of 2,000 the exact interval of 95 % is 93.95 to 95.92 %; of 93.5 %, 92.33 to 94.54 %
    figure = of_machines("coverage", machines(1900, 1900))
    assert (figure.value, figure.reached) == (95, True)
    assert (figure.low, figure.high) == pytest.approx((93.95, 95.92), abs=0.01)
    assert of_machines("coverage", machines(1900, 1870)).reached is None
    assert of_machines("coverage", machines(1900, 1800)).reached is False


def test_false_alarms_are_counted_in_families():
    def told(alarms):
        families = 1_000
        alarmed = [number < alarms for number in range(families)]
        same = changes.Told([0.95] * families, [0.95] * families, [0.0] * families, alarmed)
        return list(in_world("a world", same))[-1]

    # of 1,000 the exact interval of 3 % is 2.03 to 4.25 %, of 6 % 4.61 to 7.66 %, of 7 % 5.50 to 8.76 %
    assert (told(30).value, told(30).goal, told(30).reached) == (3, "<= 5 %", True)
    assert (told(60).low, told(60).high) == pytest.approx((4.61, 7.66), abs=0.01)
    assert [told(alarms).reached for alarms in (50, 60, 70)] == [None, None, False]


def test_pairs_of_one_family_count_as_one():
    # half of the families have all intervals right, half nine of ten: 95 %, of four families only
    def told(families):
        covered = [1.0, 0.9] * (families // 2)
        same = changes.Told(covered, covered, [0.0] * families, [False] * families)
        return next(in_world("a world", same))

    assert (told(4).value, told(4).reached) == (pytest.approx(95), None)
    # standard deviation 5 points, of 400 families 0.25: half a point either way
    assert (told(400).low, told(400).high) == pytest.approx((94.51, 95.49), abs=0.01)
    assert told(400).reached is True
