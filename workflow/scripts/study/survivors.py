"""Finds and ends the remaining processes of a killed study before another starts.

A kill affects one process only. Snakemake outlives the launcher and continues the whole study; the
core outlives Snakemake and continues its cell. Two concurrent measurements would disturb each
other.
"""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import psutil

from console import EXIT_FILE_VARIABLE, ExitCode, StudyError

# Seconds that a process may take to stop and clean up. An interrupt is ignored under nohup, and
# driver apple waits up to a minute for macOS to release a volume
# (core/diskbench-core/src/image/macos/detach.rs).
PATIENCE = {signal.SIGINT: 10.0, signal.SIGTERM: 90.0}

LOOK_EVERY = 0.1  # seconds


def at_work(exit_file: Path) -> list[psutil.Process]:
    """The processes of studies with this exit-code file.

    They and their children have its path in their environment, so no other processes are found.
    """
    # twice: a process that forks and ends during listing would hide both
    return _look(exit_file) or _look(exit_file)


def _look(exit_file: Path) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.environ().get(EXIT_FILE_VARIABLE) == str(exit_file):
                found.append(process)
    return found


def end(exit_file: Path) -> None:
    """Interrupt them like Ctrl-C, and wait until they end.

    Raises StudyError (busy) if some do not stop.
    """
    remaining = at_work(exit_file)
    for number, seconds in PATIENCE.items():
        if not remaining:
            break
        for group in _groups(remaining):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, number)
        last = time.monotonic() + seconds
        # searched again: a stopping process may start others for its cleanup
        while (remaining := at_work(exit_file)) and time.monotonic() < last:
            time.sleep(LOOK_EVERY)
    if remaining:
        numbers = " ".join(str(process.pid) for process in remaining)
        raise StudyError(
            ExitCode.BUSY,
            "a study that was killed in this folder is still running: end it (kill -9 "
            f"{numbers}), then run again",
        )


def _groups(processes: list[psutil.Process]) -> set[int]:
    groups = set()
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):
            groups.add(os.getpgid(process.pid))
    return groups - {os.getpgrp()}
