"""Misbehaving programs, drawn at random: a few, always the same ones.

`DISKBENCH_MISBEHAVIOURS=200 bash workflow/test.sh workflow/tests/mac/test_misbehaviour.py` draws so many.
"""

import json
import os
import random
import signal
import time

import cut_short
import misbehaving
import pytest
from stand_in import StandInMac

from proofs.support.waiting import PATIENCE_SECONDS, wait_until

pytestmark = pytest.mark.slow

SEED = "test"
RUNS = int(os.environ.get("DISKBENCH_MISBEHAVIOURS", "8"))


@pytest.mark.parametrize("number", range(RUNS))
def test_whatever_a_program_does_a_second_call_completes_the_study(number, folder, target):
    told = random.Random(f"{SEED}/{number}")
    orders = misbehaving.draw(told)
    mac, cells = misbehaving.one_image(folder / "mac", target, told)
    with misbehaving.completed(mac, cells, orders):
        for cell in cells:
            misbehaving.end_of(mac, cell)


@pytest.mark.parametrize("number", range(RUNS // 2))
def test_the_same_calls_complete_a_study_interrupted_at_any_time(number, folder, target):
    told = random.Random(f"{SEED}/cut short/{number}")
    orders = misbehaving.draw(told) if number % 2 else {}
    mac, cells = misbehaving.one_image(folder / "mac", target, told)
    index = told.randrange(len(cells))
    for cell in cells[:index]:
        assert misbehaving.end_of(mac, cell) in ("measured", "skipped")
    with misbehaving.completed(mac, cells, orders, swept=told.random() < 0.5):
        cut_short.cut_short(mac, cells[index], told)
    wait_until(lambda: not mac.still_running(), "its programs to end")


def test_a_system_that_does_not_say_at_once_which_release_it_is_is_asked_again(folder, target):
    machine = StandInMac(folder / "mac", target, "26")
    cell = next(cell for cell in machine.plan() if cell["driver"] == "apple")
    machine.order("hang sw_vers", 2)
    assert misbehaving.end_of(machine, cell) == "measured"
    machine.order("hang sw_vers", 6)
    done = machine.run(cell)
    assert (done.returncode, done.stdout) == (1, "")
    assert "does not say which release it is" in done.stderr


def test_ctrl_c_ends_the_making_of_an_image_at_once_however_long_it_may_take(folder, target):
    # on a Mac before 26 it may write 100 GB, or wait for an answer to a window: it has an hour
    machine = StandInMac(folder / "mac", target, "26")
    cell = misbehaving.images_of(machine)["usage-phases", "UDSB", "none"][0]
    machine.order("hang create", 1)
    process = machine.begin(cell, DISKBENCH_STAND_IN_SECONDS="3600")
    begun = time.monotonic()
    while "hang create" in open_orders(machine):
        assert process.poll() is None and time.monotonic() - begun < PATIENCE_SECONDS
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    # a sixth of the hour
    _, said = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 130, said
    assert (machine.attached(), machine.left_over()) == ([], [])
    assert misbehaving.end_of(machine, cell) == "measured"


def open_orders(machine) -> dict[str, int]:
    """What the programs are still to do wrong."""
    return json.loads((machine.programs / "state" / "orders.json").read_text(encoding="utf-8"))
