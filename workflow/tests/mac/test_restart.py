"""A guest's own disk, measured over a restart of a simulated guest (see also core, tests/program/restart.rs)."""

import pytest
from stand_in import StandInMac


@pytest.fixture
def guest(folder, target) -> StandInMac:
    return StandInMac(folder / "guest", target, "26", ["--mac", "guest"])


def the_cell(guest) -> dict:
    """The one cell of study vm-2026 that is measured in a guest."""
    (cell,) = [cell for cell in guest.plan("vm-2026") if cell["format"] == "VM"]
    assert (cell["protocol"], cell["driver"]) == ("restart", "native")
    return cell


def asks_for_a_restart(guest, cell) -> None:
    done = guest.run(cell)
    assert done.returncode == 8, done.stderr
    assert "restart this machine" in done.stderr
    assert not guest.record_path(cell).exists()


def is_measured(guest, cell) -> None:
    done = guest.run(cell)
    assert done.returncode == 0, done.stderr
    assert guest.record(cell)["status"] == "measured"
    assert guest.left_over() == []


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_name_of_the_start_that_is_not_told_at_once_is_asked_for_again(guest, when):
    cell = the_cell(guest)
    if when == "before":
        guest.order("hang kern.bootsessionuuid", 1)
    asks_for_a_restart(guest, cell)
    guest.restart()
    if when == "after":
        guest.order("hang kern.bootsessionuuid", 1)
    is_measured(guest, cell)
