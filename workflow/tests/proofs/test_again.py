"""Repeated measurements: studies of three runs out of many, and their verdicts."""

import numpy as np
import pytest

from console import StudyError
from proofs import again


def runs(speeds, disk=None):
    """Runs of six images with these speeds and of the disk itself with its own or the same, each
    with a little of its own."""
    dice = np.random.default_rng(1)
    return {
        (cell, op): {
            repeat: float(gbps * np.exp(dice.normal(0, 0.01)))
            for repeat, gbps in enumerate(disk if disk and cell == "native" else speeds, start=1)
        }
        for cell in ("native", *(f"image {number}" for number in range(6)))
        for op in ("read", "write")
    }


def test_images_that_are_a_third_slower_from_the_fourth_run_on_are_called_so():
    told = again.compared(runs([6.0] * 3 + [4.0] * 3, disk=[9.0] * 6), 2)
    assert (told.changed, told.covered, told.covered_to_disk) == ([1], [0], [0])
    # of the pairs (0, 1), (0, 2), (1, 2)
    speeds = runs([6.0] * 6 + [4.0] * 3, disk=[9.0] * 9)
    assert again.compared(speeds, 3).changed == [0, 1, 1]


def test_a_machine_that_is_a_third_slower_with_its_disk_is_not_called_so():
    told = again.compared(runs([6.0] * 3 + [4.0] * 3), 2)
    assert (told.changed, told.covered) == ([0], [0])
    assert told.covered_to_disk[0] >= 8 / 12


@pytest.fixture(scope="module", autouse=True)
def few_orders():
    """Fewer than a benchmark takes: each costs as much as everything else here."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(again, "ORDERS", 5)
        yield


@pytest.fixture(scope="module")
def of_three_studies():
    """The figures of three studies of which the third differs."""
    return list(again._figures(runs([5.0] * 6 + [8.0] * 3, disk=[5.0] * 9)))


def test_the_figures_tell_the_share_of_pairs_and_of_intervals(of_three_studies):
    spread, lowest, highest, covered, to_disk, changed, alarmed, *_ = of_three_studies
    assert 0 < lowest.value < spread.value < highest.value
    # two of three pairs
    assert changed.value == alarmed.value == pytest.approx(100 * 2 / 3)
    assert covered.value < 100 / 3 + 1
    assert to_disk.value < 100 / 3 + 1


def test_a_machine_that_changes_with_time_is_told_by_its_runs_in_random_order():
    speeds = runs([5.0] * 9 + [8.0] * 9, disk=[5.0] * 18)
    *_, in_order, _, covered, changed = again._figures(speeds)
    # in their order 3 of 15 pairs lie on each side, and 9 across
    assert in_order.value == pytest.approx(100 * 9 / 15)
    assert covered.value > 90
    assert changed.value < 10
    assert covered.goal is changed.goal is None


def test_few_studies_say_little_however_many_pairs_they_make(of_three_studies):
    # by hand: without the third study none of the pairs is called changed, without another all are;
    # so the standard error is 2/3, and Student's t of two degrees reaches beyond everything
    changed = of_three_studies[5]
    assert (changed.low, changed.high) == (0, 100)
    assert changed.reached is None


def test_figures_of_changed_files_are_refused_before_anything_is_measured(monkeypatch):
    monkeypatch.setattr(again.proof, "version", lambda: "v1-3-gabc-dirty")
    monkeypatch.setattr(again, "make_fresh", lambda _: 1 / 0)
    with pytest.raises(StudyError, match="commit them first") as refused:
        again.main(["--save"])
    assert refused.value.code == 2
