"""The study that this host measures: started once, even if the coordinator asks again or
reconnects.

It is the command that a person would type. Its output goes to a file instead of a pipe, so that it
continues when its parent ends.
"""

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from console import ExitCode
from fleet import config
from lock import is_held
from places import CORE
from study.options import by_key

SAID = Path(".diskbench/logs/fleet-study.log")
# the lock of this project's study (study/launch.py)
LOCK = Path(".diskbench/study.lock")
# seconds between reads of the output: rare, since a measurement is running
LOOK_SECONDS = 1.0

# start of lines to forward to the coordinator: a cell's
# (`[3/32] usage-phases UDRW-none fresh: measured: ...`, core/diskbench-core/src/progress.rs)
# or an error
TELLING = ("[", "diskbench: ")
DIED = "it was ended by signal {}"


class Measuring:
    """A running study."""

    def __init__(self, words: list[str]):
        self.words = words
        self.last = ""
        self.began_ns = time.time_ns()
        SAID.parent.mkdir(parents=True, exist_ok=True)
        with SAID.open("w", encoding="utf-8") as said:
            self.process = subprocess.Popen(
                ["bash", "workflow/run.sh", "records", "--config", *words],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                # in its own session: the worker forwards Ctrl-C, so it arrives once
                start_new_session=True,
            )
        self.ended = threading.Event()
        threading.Thread(target=self._wait, daemon=True).start()

    def _wait(self) -> None:
        self.process.wait()
        self.ended.set()

    def follow(
        self, hear: Callable[[str], None], leave: Callable[[], bool]
    ) -> tuple[int, str] | None:
        """Forward its output; returns exit code and last message, or None when `leave` is true."""
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
                # its end is noticed at once: the coordinator waits for nothing else
                self.ended.wait(LOOK_SECONDS)

    def interrupt(self) -> None:
        """Interrupt it like Ctrl-C: the current image is removed, records are kept."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)

    def _keep(self, line: str) -> None:
        if line.startswith("diskbench: "):
            self.last = line.removeprefix("diskbench: ").strip()


_current: Measuring | None = None
_planning: subprocess.Popen | None = None
_only_one = threading.Lock()
# set while nothing more may be waited for: by `interrupt`, until the next request
_stopped = threading.Event()


def measure(
    words: list[str], hear: Callable[[str], None], leave: Callable[[], bool]
) -> tuple[int, str] | None:
    """Measure a study here, or follow a running one; returns exit code and last message.

    A study with other arguments is interrupted first. A study that somebody else runs in this
    folder is waited for.
    """
    global _current
    _stopped.clear()
    with _only_one:
        interrupt_other(words)
        if _current is None or _current.process.poll() is not None:
            if not _is_free(hear, leave):
                return None
            _current = Measuring(words)
        study = _current
    return study.follow(hear, leave)


def interrupt_other(words: list[str]) -> None:
    """Interrupt a study with other arguments, and wait for its cleanup: the latest request is the
    coordinator's."""
    if _current and _current.process.poll() is None and _current.words != words:
        _current.interrupt()
        _current.process.wait()


def current() -> list[str] | None:
    """The arguments of the running study, if any."""
    return _current.words if _current and _current.process.poll() is None else None


def wait_for_plan(words: list[str], plan: Path, leave: Callable[[], bool]) -> None:
    """Wait until the running study, if it has these arguments, has written its plan or ended: what
    is there before is the plan of an earlier study."""
    while current() == words and not leave():
        if plan.exists() and plan.stat().st_mtime_ns >= _current.began_ns:
            return
        time.sleep(LOOK_SECONDS)


def interrupt(wait: bool = True) -> None:
    """Interrupt planning or measuring here, or the wait for a study that somebody else runs; and
    wait for its cleanup."""
    _stopped.set()
    if _planning and _planning.poll() is None:
        _planning.send_signal(signal.SIGINT)
    if _current:
        _current.interrupt()
        if wait:
            _current.process.wait()


def plan(
    words: list[str], hear: Callable[[str], None], leave: Callable[[], bool]
) -> tuple[int, str] | None:
    """Plan the study as `run.sh plan` does; returns the exit code and the last message.

    A running study in this folder, even one that outlived its worker, is waited for: building the
    core would disturb it.
    """
    global _planning
    _stopped.clear()
    if not _is_free(hear, leave):
        return None
    ended = ExitCode.DONE.value, ""
    for step in planning(words):
        _planning = subprocess.Popen(
            step,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        _, words_of_it = _planning.communicate()
        said = [one for one in words_of_it.splitlines() if one.startswith("diskbench: ")]
        line = said[-1].removeprefix("diskbench: ") if said else words_of_it.strip()[-200:]
        ended = _planning.returncode, line
        if _planning.returncode:
            break
    return ended


def planning(words: list[str]) -> list[list[str]]:
    """The commands of the rules `core` and `plan`: Snakemake alone would take longer than both."""
    study, logs = [sys.executable, "-m", "study"], SAID.parent
    settings = json.dumps(config.study_with(by_key(words)))
    build = ["build", "--manifest", "core/Cargo.toml", "--binary", CORE, "--log", logs / "core.log"]
    plan = ["plan", "--config", settings, "--core", CORE, "--log", logs / "plan.log"]
    return [[*study, *map(str, build)], [*study, *map(str, plan)]]


def _is_free(hear: Callable[[str], None], leave: Callable[[], bool]) -> bool:
    """Wait until no study runs in this folder; False if `leave` is true before, or all is
    stopped."""
    told = False
    while is_held(LOCK):
        if not told:
            hear("diskbench: another study runs in this folder: waiting for it")
        told = True
        if leave() or _stopped.is_set():
            return False
        time.sleep(LOOK_SECONDS)
    return True
