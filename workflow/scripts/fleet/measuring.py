"""The study that this host measures: begun once, however often a coordinator asks for it, is lost
and comes back.

It is the very command that a person would type. What it says goes to a file and not to a pipe, so
that it measures on when whoever began it is gone.
"""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from console import ExitCode, StudyError
from lock import held

SAID = Path(".diskbench/logs/fleet-study.log")
LOCK = Path(".diskbench/study.lock")
# How often, in seconds, it is looked whether something was said: seldom, as something is measured.
LOOK_SECONDS = 1.0

# How those of its lines begin that are worth sending to the coordinator, of a cell
# (`[3/32] usage-phases UDRW-none fresh: measured: ...`, core/diskbench-core/src/progress.rs)
# or of trouble.
TELLING = ("[", "diskbench: ")
DIED = "it was ended by signal {}"


class Measuring:
    """One study at work; `code` is its exit code once it has ended."""

    def __init__(self, words: list[str]):
        self.words = words
        self.last = ""
        SAID.parent.mkdir(parents=True, exist_ok=True)
        with SAID.open("w", encoding="utf-8") as said:
            self.process = subprocess.Popen(
                command("records", words),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                # Ctrl-C in the worker's terminal reaches it by way of the worker, once
                start_new_session=True,
            )

    def follow(
        self, hear: Callable[[str], None], leave: Callable[[], bool]
    ) -> tuple[int, str] | None:
        """Pass on what it says; its exit code and last message, or None when `leave` says so."""
        with SAID.open(encoding="utf-8", errors="replace") as said:
            while True:
                code = self.process.poll()
                for line in said:
                    hear(line.rstrip("\n"))
                    self._keep(line)
                if code is not None:
                    return code, self.last or (DIED.format(-code) if code < 0 else "")
                if leave():
                    return None
                time.sleep(LOOK_SECONDS)

    def interrupt(self) -> None:
        """As Ctrl-C does: the image of the cell at work is put away, records are kept."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)

    def _keep(self, line: str) -> None:
        if line.startswith("diskbench: "):
            self.last = line.removeprefix("diskbench: ").strip()


_current: Measuring | None = None
_planning: subprocess.Popen | None = None
_only_one = threading.Lock()


def measure(
    words: list[str], hear: Callable[[str], None], leave: Callable[[], bool]
) -> tuple[int, str] | None:
    """Measure a study here, or go on listening to it; its exit code and last message.

    A study of other words is interrupted first: whoever asks last is the one on the coordinator.
    Where somebody else measures in this folder, their study is waited for.
    """
    global _current
    with _only_one:
        if _current and _current.process.poll() is None and _current.words != words:
            _current.interrupt()
            _current.process.wait()
        if _current is None or _current.process.poll() is not None:
            if not _is_free(hear, leave):
                return None
            _current = Measuring(words)
        study = _current
    return study.follow(hear, leave)


def current() -> list[str] | None:
    """The words of the study that is at work here, if there is one."""
    return _current.words if _current and _current.process.poll() is None else None


def interrupt(wait: bool = True) -> None:
    """End what is planned or measured here, and wait until it has put its things away."""
    if _planning and _planning.poll() is None:
        _planning.send_signal(signal.SIGINT)
    if _current:
        _current.interrupt()
        if wait:
            _current.process.wait()


def plan(
    words: list[str], hear: Callable[[str], None], leave: Callable[[], bool]
) -> tuple[int, str] | None:
    """Have the study planned: the exit code of `run.sh plan`, and its last message.

    Where a study is at work in this folder, also one that outlived a worker, it is waited for.
    """
    global _planning
    while _is_free(hear, leave):
        _planning = subprocess.Popen(
            command("plan", words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        _, words_of_it = _planning.communicate()
        if _planning.returncode != ExitCode.BUSY:
            said = [one for one in words_of_it.splitlines() if one.startswith("diskbench: ")]
            line = said[-1].removeprefix("diskbench: ") if said else words_of_it.strip()[-200:]
            return _planning.returncode, line
        # somebody was quicker, or sets the folder up
        time.sleep(LOOK_SECONDS)
    return None


def _is_free(hear: Callable[[str], None], leave: Callable[[], bool]) -> bool:
    """Wait until no study is at work in this folder; False when `leave` says so before."""
    told = False
    while is_held():
        if not told:
            hear("diskbench: another study runs in this folder: waiting for it")
        told = True
        if leave():
            return False
        time.sleep(LOOK_SECONDS)
    return True


def command(target: str, words: list[str]) -> list[str]:
    """What a person would type on this host."""
    return ["bash", "workflow/run.sh", target, "--config", *words]


def is_held() -> bool:
    """Whether a study holds this project's lock (study/launch.py)."""
    try:
        with held(LOCK, ""):
            return False
    except FileNotFoundError:
        return False
    except StudyError:
        return True


def echo(line: str) -> None:
    """On the host's own terminal, as if the study had been called there."""
    print(line, file=sys.stderr, flush=True)
