"""Programs that misbehave: bench.sh has hundreds of runs, these are the same few each time."""

import random

import pytest

from bench import cut_short, mac
from bench.stand_in import StandInMac

SEED = "test"


@pytest.mark.parametrize("number", range(8))
def test_whatever_a_program_does_a_second_call_completes_the_study(number, folder, target):
    told = random.Random(f"{SEED}/{number}")
    orders = mac.draw(told)
    ends = mac.one_run(folder / "mac", target, told, orders)
    assert set(ends) <= {"measured", "skipped", "failed"}


@pytest.mark.parametrize("number", range(4))
def test_whenever_a_run_is_cut_short_the_same_calls_complete_the_study(number, folder, target):
    told = random.Random(f"{SEED}/cut short/{number}")
    cut_short.cut_short(*mac.one_image(folder / "mac", target, told), told)


def test_a_system_that_does_not_say_at_once_which_release_it_is_is_asked_again(folder, target):
    machine = StandInMac(folder / "mac", target, "26")
    cell = next(cell for cell in machine.plan() if cell["driver"] == "apple")
    machine.order("hang sw_vers", 2)
    assert mac.end_of(machine, cell) == "measured"
    machine.order("hang sw_vers", 6)
    done = machine.run(cell)
    assert (done.returncode, done.stdout) == (1, "")
    assert "does not say which release it is" in done.stderr
