"""A guest's own disk, measured over a restart, on a guest that does not exist."""

import signal

import pytest

from proofs.support.stand_in import StandInMac

WISH = "restart this machine, then call the same command again"


@pytest.fixture
def guest(folder, target) -> StandInMac:
    return StandInMac(folder / "guest", target, "26", ["--mac", "guest"])


def the_cell(guest) -> dict:
    """The one cell of study vm-2026 that is measured in a guest."""
    cells = [cell for cell in guest.plan("vm-2026") if cell["format"] == "VM"]
    (cell,) = cells
    assert (cell["protocol"], cell["driver"]) == ("restart", "native")
    return cell


def asks_for_a_restart(guest, cell) -> str:
    done = guest.run(cell)
    assert done.returncode == 8, done.stderr
    assert "restart this machine" in done.stderr
    assert not guest.record_path(cell).exists()
    return done.stderr


def is_measured(guest, cell) -> dict:
    done = guest.run(cell)
    assert done.returncode == 0, done.stderr
    record = guest.record(cell)
    assert record["status"] == "measured"
    steps = [step["step"] for step in record["steps"]]
    assert steps.count("restart") == 1
    assert steps.index("write") < steps.index("restart") < steps.index("read")
    ops = [sample["op"] for sample in record["samples"]]
    assert ops.count("write") == ops.count("read") == cell["sets"] * len(cell["sizes_bytes"])
    assert guest.left_over() == []
    return record


def test_the_whole_study_goes_on_after_the_restart(guest):
    ended = []
    for cell in guest.plan("vm-2026"):
        done = guest.run(cell)
        if done.returncode == 8:
            assert WISH in done.stderr
            guest.restart()
            done = guest.run(cell)
        assert done.returncode == 0, done.stderr
        ended.append((cell["format"], guest.record(cell)["status"]))
    assert ("VM", "measured") in ended
    assert {status for _, status in ended} <= {"measured", "skipped"}
    assert (guest.attached(), guest.left_over()) == ([], [])


def test_a_call_without_a_restart_asks_again_and_keeps_what_was_measured(guest):
    cell = the_cell(guest)
    first = asks_for_a_restart(guest, cell)
    kept = guest.left_over()
    assert asks_for_a_restart(guest, cell) == first
    assert guest.sweep().returncode == 0
    assert guest.left_over() == kept != []
    guest.restart()
    is_measured(guest, cell)


def test_two_restarts_are_as_good_as_one(guest):
    cell = the_cell(guest)
    asks_for_a_restart(guest, cell)
    guest.restart()
    guest.restart()
    is_measured(guest, cell)


def is_killed(guest, cell, moment):
    process = guest.begin(cell, **moment.environment)
    with moment.reached(process):
        process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL


def test_what_is_killed_after_the_restart_asks_for_one_more(guest, gate):
    cell = the_cell(guest)
    asks_for_a_restart(guest, cell)
    guest.restart()
    (files,) = guest.work.glob("*/files")
    is_killed(guest, cell, gate("pread", 1, files))
    assert "once more" in asks_for_a_restart(guest, cell)
    guest.restart()
    is_measured(guest, cell)


def test_what_is_killed_before_the_restart_is_begun_anew(guest, gate):
    cell = the_cell(guest)
    # in the midst of its 160 files
    is_killed(guest, cell, gate("pwrite", 100, guest.work))
    assert [path for path in guest.work.glob("*/files/*") if path.is_file()] != []
    asks_for_a_restart(guest, cell)
    guest.restart()
    is_measured(guest, cell)


def test_an_update_at_the_restart_begins_the_cell_anew_and_leaves_nothing_of_the_old_one(guest):
    old = the_cell(guest)
    asks_for_a_restart(guest, old)
    guest.upgrade("26.4.1")
    done = guest.run(old)
    assert done.returncode == 2
    assert "plan the study again" in done.stderr
    new = the_cell(guest)
    assert new["release"] != old["release"]
    asks_for_a_restart(guest, new)
    guest.restart()
    is_measured(guest, new)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_name_of_the_start_that_is_not_told_at_once_is_asked_for_again(guest, when):
    # its time is told as well, but the two cannot be compared: no restart would ever be seen
    cell = the_cell(guest)
    if when == "before":
        guest.order("hang kern.bootsessionuuid", 1)
    asks_for_a_restart(guest, cell)
    guest.restart()
    if when == "after":
        guest.order("hang kern.bootsessionuuid", 1)
    is_measured(guest, cell)
