"""A guest's own disk, measured over a restart of a simulated guest (see also core, tests/program/restart.rs)."""

import pytest
from stand_in import StandInMac


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_name_of_the_start_that_is_not_told_at_once_is_asked_for_again(when, folder, target):
    guest = StandInMac(folder / "guest", target, "26", ["--mac", "guest"])
    (cell,) = [cell for cell in guest.plan("vm-2026") if cell["format"] == "VM"]
    for restart, code in (("before", 8), ("after", 0)):
        if restart == when:
            guest.order("hang kern.bootsessionuuid", 1)
        done = guest.run(cell)
        assert done.returncode == code, done.stderr
        guest.restart()
    assert guest.record(cell)["status"] == "measured"
    assert guest.left_over() == []
