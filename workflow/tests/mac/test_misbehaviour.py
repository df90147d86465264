"""Programs that misbehave: bench.sh has hundreds of runs, these are the same few each time."""

import random

import pytest

from bench import mac

SEED = "test"


@pytest.mark.parametrize("number", range(8))
def test_whatever_a_program_does_a_second_call_completes_the_study(number, folder, target):
    told = random.Random(f"{SEED}/{number}")
    orders = mac.draw(told)
    ends = mac.one_run(folder / "mac", target, told, orders)
    assert set(ends) <= {"measured", "skipped", "failed"}
