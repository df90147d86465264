"""A gate: a system call at which a program waits until a test continues it.

So a test interferes at a moment that it cannot miss, however fast or busy the machine is.
"""

import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from proofs.support.waiting import PATIENCE_SECONDS

# No signal is under way for longer than that, on the busiest machine.
UNDER_WAY_SECONDS = 60

# A cell of the least scale writes its 160 files by more calls than that: in the midst of it.
A_WRITE = 100


class Gate:
    """The so many-th call of a kind on what lies below a folder (core/doubles/examples/faults).

    The program, and what it starts, has to have the gate's `environment`.
    """

    def __init__(self, folder: Path, library: Path, kind: str, number: int, under: Path):
        folder.mkdir()
        self.path = folder / "gate"
        os.mkfifo(self.path)
        self.environment = {
            "LD_PRELOAD": str(library),
            "DISKBENCH_FAULT": f"{kind} {number}-{number} hold",
            "DISKBENCH_FAULT_GATE": str(self.path),
            "DISKBENCH_FAULT_REPORT": str(folder / "report"),
            "DISKBENCH_FAULT_UNDER": str(under),
        }

    @contextmanager
    def reached(self, process: subprocess.Popen, again: bool = False) -> Iterator["Gate"]:
        """A program is at that call, and goes on with it when this ends.

        process: the leader of a process group that comes there. again: whether others that come there are held, too.
        """
        self._file = self._open(process)
        self.path.unlink()
        if again:
            os.mkfifo(self.path)
        try:
            yield self
        finally:
            os.close(self._file)

    def _open(self, process: subprocess.Popen) -> int:
        last = time.monotonic() + PATIENCE_SECONDS
        while process.poll() is None and time.monotonic() < last:
            # refused until the program has opened the other end
            with suppress(OSError):
                return os.open(self.path, os.O_WRONLY | os.O_NONBLOCK)
            time.sleep(0.005)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        raise AssertionError(f"it never came to its gate: {process.communicate()[1]}")

    def wait_for_a_signal(self, process: subprocess.Popen) -> None:
        """Wait until the program has handled a signal that is under way to it: it goes on by that, too.

        One that comes after the program has opened its gate, and before it waits there, does not wake it. SIGCONT does,
        which the core only notes.
        """
        gone = select.poll()
        gone.register(self._file, 0)
        last = time.monotonic() + PATIENCE_SECONDS
        while not gone.poll(UNDER_WAY_SECONDS * 1000):
            assert time.monotonic() < last, "no signal came"
            for one in psutil.Process(process.pid).children(recursive=True):
                with suppress(psutil.Error):
                    one.send_signal(signal.SIGCONT)
