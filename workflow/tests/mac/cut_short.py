"""Cells of driver apple, interrupted at a random moment on a simulated Mac.

Killed, with or without the program that serves the image at that moment, or asked to stop: then it
leaves nothing behind.
"""

import os
import random
import signal
import subprocess
import time
from contextlib import suppress

from misbehaving import ours
from stand_in import StandInMac

from proofs.support.waiting import PATIENCE_SECONDS

# A cell calls some 20 to 60 programs: it is cut short after so many, or ends before.
MOST_CALLS = 60

# ... and this much later on average: most calls, and the files between them, take less.
MEAN_SECONDS = 0.01

# allowed exit codes of an interrupted run: interrupted, or already ended
STOPPED = (130, -signal.SIGINT, -signal.SIGTERM)


def cut_short(mac: StandInMac, cell: dict, told: random.Random) -> None:
    """Interrupt a cell, and look at what it left."""
    how = told.choice(["killed", "killed with its programs", "SIGINT", "SIGTERM"])
    process = mac.begin(cell)
    _wait(mac, process, told)
    if ended := process.poll() is not None:
        pass
    elif how.startswith("killed"):
        process.kill()
        if how != "killed":
            _kill_programs(mac)
    else:
        process.send_signal(getattr(signal, how))
    _, said = process.communicate(timeout=PATIENCE_SECONDS)
    code = process.returncode
    if ended or code in (0, 7):
        assert code in (0, 7), f"exit code {code}: {said}"
    elif not how.startswith("killed"):
        assert code in STOPPED, f"exit code {code}: {said}"
        assert ours(mac) == [], "attached after it was stopped"
        if code == 130:
            assert mac.left_over() == [], f"left after it was stopped: {mac.left_over()}"


def _wait(mac: StandInMac, process: subprocess.Popen, told: random.Random) -> None:
    """Until a moment drawn at random, or the end of the run."""
    last = mac.calls() + told.randint(0, MOST_CALLS)
    while mac.calls() < last and process.poll() is None:
        time.sleep(0.0005)
    time.sleep(told.expovariate(1 / MEAN_SECONDS))


def _kill_programs(mac: StandInMac) -> None:
    for one in mac.still_running(programs_only=True):
        with suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)
