"""Cells of driver apple, interrupted at a random moment on a simulated Mac.

Killed, with or without the program that serves the image at that moment, or asked to stop: nothing
of anybody else may be touched, a run that was asked to stop leaves nothing behind, and whatever was
left of a killed one, the same calls complete the study.
"""

import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from stand_in import PATIENCE_SECONDS, StandInMac, digest

# A cell calls some 20 to 60 programs: it is cut short after so many, or ends before.
MOST_CALLS = 60

# ... and this much later on average: most calls, and the files between them, take less.
MEAN_SECONDS = 0.01

# What was started may take this long to see that it is over.
ENDING_SECONDS = 300

# allowed exit codes of an interrupted run: interrupted, or already ended
STOPPED = (130, -signal.SIGINT, -signal.SIGTERM)


def cut_short(
    mac: StandInMac, cells: list[dict], told: random.Random, orders: dict[str, int] | None = None
) -> str:
    """Interrupt one cell of an image, then complete all; returns the result of the run.

    orders: what the programs do wrong meanwhile.
    """
    orders = orders or {}
    foreign = mac.foreign_image(mac.folder / "theirs" / "image.sparsebundle")
    before = digest(foreign)
    index = told.randrange(len(cells))
    for cell in cells[:index]:
        completes(mac, cell)
    for name, times in orders.items():
        mac.order(name, times)
    how = told.choice(["killed", "killed with its programs", "SIGINT", "SIGTERM"])
    process = mac.begin(cells[index])
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
    for name in orders:
        mac.order(name, 0)
    if ended or code in (0, 7):
        how = "ended before"
        assert code in (0, 7), f"exit code {code}: {said}"
    elif not how.startswith("killed"):
        assert code in STOPPED, f"exit code {code}: {said}"
        assert ours(mac) == [], "attached after it was stopped"
        if code == 130:
            assert mac.left_over() == [], f"left after it was stopped: {mac.left_over()}"
    elif told.random() < 0.5:
        # as the study does after each call
        swept = mac.sweep()
        assert swept.returncode == 0, swept.stderr
        assert ours(mac) == [], "attached after sweeping"
        assert mac.left_over() == [], f"left after sweeping: {mac.left_over()}, {swept.stderr}"
    for cell in cells:
        if not mac.record_path(cell).exists() or mac.record(cell)["status"] == "failed":
            completes(mac, cell)
    mac.sweep()
    assert foreign in mac.attached(), "somebody else's image was detached"
    assert digest(foreign) == before, "somebody else's image was touched"
    assert ours(mac) == [], "still attached"
    assert mac.left_over() == [], f"left in the folder to work in: {mac.left_over()}"
    assert _all_end(mac), "programs still run"
    return how


def completes(mac: StandInMac, cell: dict) -> None:
    """A call that nothing disturbs measures a cell, or skips it."""
    done = mac.run(cell)
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr.strip()}"


def ours(mac: StandInMac) -> list[Path]:
    """Our images that are attached."""
    return [image for image in mac.attached() if image.is_relative_to(mac.work)]


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


def _all_end(mac: StandInMac) -> bool:
    last = time.monotonic() + ENDING_SECONDS
    while mac.still_running() and time.monotonic() < last:
        time.sleep(0.05)
    return not mac.still_running()
