"""What a study that was killed left at work: found by its mark, and ended before another begins.

A kill reaches one process only. Snakemake outlives the launcher and goes on with the whole study;
the core outlives Snakemake and goes on with its cell. Two that measure would measure each other.
"""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import psutil

from console import EXIT_FILE_VARIABLE, ExitCode, StudyError

# How long, in seconds, what is asked to stop may take to put its files away. An interrupt is not
# heeded under nohup; and the driver apple waits up to a minute for macOS to let go of a volume
# (core/diskbench-core/src/image/apple/detach.rs).
PATIENCE = {signal.SIGINT: 10.0, signal.SIGTERM: 90.0}

LOOK_EVERY = 0.1  # seconds


def at_work(exit_file: Path) -> list[psutil.Process]:
    """The processes of the studies whose steps leave their exit code in this file.

    They and all that they start carry its name in their environment, so nobody else's is found.
    """
    # twice: one that starts another and ends while they are listed leaves a list without either
    return _look(exit_file) or _look(exit_file)


def _look(exit_file: Path) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.environ().get(EXIT_FILE_VARIABLE) == str(exit_file):
                found.append(process)
    return found


def end(exit_file: Path, patience: dict[signal.Signals, float] | None = None) -> int:
    """Ask them to stop as Ctrl-C does, and wait until they have; returns how many there were.

    Raises StudyError (busy) when some do not stop.
    """
    found = remaining = at_work(exit_file)
    for number, seconds in (patience or PATIENCE).items():
        if not remaining:
            break
        for group in _groups(remaining):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, number)
        last = time.monotonic() + seconds
        # looked for anew: what is asked to stop may still start what puts its things away
        while (remaining := at_work(exit_file)) and time.monotonic() < last:
            time.sleep(LOOK_EVERY)
    if remaining:
        numbers = " ".join(str(process.pid) for process in remaining)
        raise StudyError(
            ExitCode.BUSY,
            "a study that was killed in this folder is still running: end it (kill -9 "
            f"{numbers}), then run again",
        )
    return len(found)


def _groups(processes: list[psutil.Process]) -> set[int]:
    groups = set()
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):
            groups.add(os.getpgid(process.pid))
    return groups - {os.getpgrp()}
