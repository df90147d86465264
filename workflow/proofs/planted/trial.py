"""Plants one fault at a time in a copy of the project, and runs tests."""

import contextlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from proofs.planted import ran
from proofs.planted.faults import Fault
from proofs.planted.mutations import changed
from proofs.planted.ran import Ran
from proofs.planted.stages import Stage, stages
from proofs.support.proof import PROJECT

SEEN, UNSEEN, TIMED_OUT, REFUSED = "seen", "not seen", "timed out", "refused by the compiler"
# of processor, for each of the two programs that run the tests: ten times what one takes
RECORD_SECONDS = 2 * 3600
NO_TESTS = 5  # pytest's exit code
# where pytest keeps which tests failed, each by its whole name
LAST_FAILED = "cache/v/cache/lastfailed"
# a machine that does other things too, and tests that wait: so many seconds for one of a processor
PATIENCE = 3
# no test waits so long for anything while all its programs use less than a second of processor
IDLE_SECONDS = 120


@dataclass(frozen=True)
class Outcome:
    """What became of a fault: the test that saw it, and in which stage; quick: by `test.sh`."""

    result: str
    by: str = ""
    stage: str = ""
    quick: bool = True


@dataclass(frozen=True)
class Run:
    """A command's end: code None when its time was up."""

    code: int | None
    said: str


def beside(folder: Path) -> Path:
    """For the temporary files of a copy: not in it, where tests would find the copy's own path."""
    return folder.with_name(f"{folder.name}-tmp")


class Children:
    """The programs that run, so that none outlives this one."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen] = set()
        self._lock = threading.Lock()
        self.ended = False

    def run(
        self, words: list[str], folder: Path, seconds: int, more: dict[str, str] | None = None
    ) -> Run:
        """Run a command in a copy for so many seconds of processor, with `more` variables."""
        temporary = beside(folder)
        temporary.mkdir(exist_ok=True)
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        environment |= {"TMPDIR": str(temporary), "PYTHONDONTWRITEBYTECODE": "1"} | (more or {})
        with (temporary / "said").open("w+", encoding="utf-8", errors="replace") as said:
            with self._lock:
                if self.ended:
                    raise KeyboardInterrupt
                child = subprocess.Popen(
                    words,
                    cwd=folder,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=said,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    preexec_fn=lambda: resource.setrlimit(
                        resource.RLIMIT_CPU, (seconds, seconds + 5)
                    ),
                )
                self._running.add(child)
            code: int | None = None
            try:
                code = _code(child, PATIENCE * seconds)
            finally:
                self._end(child)
            if self.ended:
                raise KeyboardInterrupt
            said.seek(0)
            return Run(None if code in (-signal.SIGXCPU, -signal.SIGKILL) else code, said.read())

    def end(self) -> None:
        """End all of them, and start no other."""
        with self._lock:
            self.ended = True
            running = list(self._running)
        for child in running:
            self._end(child)

    def _end(self, child: subprocess.Popen) -> None:
        """What hangs is killed with all that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        with self._lock:
            self._running.discard(child)


def _code(child: subprocess.Popen, seconds: int) -> int | None:
    """Its exit code; None when it ran for too long, or hangs."""
    last = time.monotonic() + seconds
    busy, used = time.monotonic(), 0.0
    while (now := time.monotonic()) < min(last, busy + IDLE_SECONDS):
        with contextlib.suppress(subprocess.TimeoutExpired):
            return child.wait(min(last - now, 5))
        if abs((uses := _processor_seconds(child.pid)) - used) > 1:
            busy, used = now, uses
    return None


def _processor_seconds(pid: int) -> float:
    """What a program and all that it started, and that still runs, have used."""
    used = 0.0
    with contextlib.suppress(psutil.Error):
        for one in (program := psutil.Process(pid), *program.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                used += sum(one.cpu_times())
    return used


class Copy:
    """A copy of the project at its last commit, in which faults are planted."""

    def __init__(self, folder: Path, children: Children, slow: bool) -> None:
        self.folder, self.children, self.slow = folder, children, slow
        # of the project's Python, once it is known
        self.ran: Ran | None = None
        # whether a test passes where no fault is planted; what fails there sees nothing
        self.sound: dict[str, bool] = {}
        subprocess.run(["git", "clone", "--quiet", str(PROJECT), str(folder)], check=True)
        (folder / ".diskbench").mkdir()
        for shared in (".venv", ".conda", ".diskbench/tools"):
            if (PROJECT / shared).exists():
                (folder / shared).symlink_to(PROJECT / shared)
        # so that only what a fault changes is compiled again
        if (PROJECT / "core/target").is_dir():
            shutil.copytree(PROJECT / "core/target", folder / "core/target", symlinks=True)

    def record(self, kept: Path) -> Ran:
        """Which tests of `test.sh` run which lines of Python; kept, since it takes long."""
        partial = kept.with_name(f"{kept.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        words = self._pytest("-p", ran.PLUGIN.stem, "--numprocesses", "2", "-m", "not slow")
        environment = ran.environment(partial, PROJECT)
        run = self.children.run(words, self.folder, RECORD_SECONDS, environment)
        if run.code not in (0, 1):
            raise RuntimeError(f"the tests do not run: {run.said[-1000:]}")
        ran.combine(partial)
        partial.replace(kept)
        return Ran(kept)

    def tried(self, fault: Fault) -> Outcome:
        """Plant a fault, ask stage by stage, and take the fault out again."""
        path = self.folder / fault.path
        text = path.read_text(encoding="utf-8")
        late = False
        for stage in stages(fault.path, fault.line, self.folder, self.ran):
            if not (stage.quick or self.slow):
                continue
            while True:
                path.write_text(changed(text, fault.mutation), encoding="utf-8")
                try:
                    run = self._asked(stage)
                finally:
                    path.write_text(text, encoding="utf-8")
                if run.code in (0, NO_TESTS):
                    break
                if stage.cargo and "could not compile" in run.said:
                    return Outcome(REFUSED)
                by = self._failed(stage, run.said)
                if run.code is None and not by:
                    late = True
                    break
                if self._is_sound(stage, by):
                    return Outcome(SEEN, by, stage.name, stage.quick)
        return Outcome(TIMED_OUT if late else UNSEEN)

    def _asked(self, stage: Stage, *only: str) -> Run:
        """Run the tests of a stage, or one of them, without those that fail anyway."""
        broken = [test for test, sound in self.sound.items() if not sound and not only]
        if stage.cargo:
            words = [
                "cargo",
                "test",
                "--manifest-path",
                "core/Cargo.toml",
                "--locked",
                *stage.tests,
            ]
            words += [word for test in broken for word in ("--skip", test)]
            return self.children.run([*words, *only], self.folder, stage.seconds)
        left_out = [f"--deselect={test}" for test in broken]
        left_out += [f"--ignore={test}" for test in broken if "::" not in test]
        chosen = only or ("-m", "not slow" if stage.quick else "slow", *stage.tests)
        words = self._pytest("-x", *left_out, *chosen)
        return self.children.run(words, self.folder, stage.seconds)

    def _pytest(self, *words: str) -> list[str]:
        temporary = beside(self.folder)
        shutil.rmtree(temporary / "cache", ignore_errors=True)
        own = ["--basetemp", str(temporary / "tests"), "-o", f"cache_dir={temporary / 'cache'}"]
        how = ["-m", "pytest", "-c", "workflow/pytest.ini", "--rootdir", ".", "-q", "--no-header"]
        return [sys.executable, *how, *own, *words]

    def _failed(self, stage: Stage, said: str) -> str:
        """The first test that failed, or else did not end; an empty text where none is named."""
        if stage.cargo:
            ends = ("FAILED", "has been running for over 60 seconds")
            found = (re.search(rf"^test (\S+).* {end}$", said, re.M) for end in ends)
            return next((one[1] for one in found if one), "")
        kept = beside(self.folder) / LAST_FAILED
        return next(iter(json.loads(kept.read_text(encoding="utf-8"))), "") if kept.exists() else ""

    def _is_sound(self, stage: Stage, test: str) -> bool:
        """Whether a test passes where no fault is planted."""
        if test not in self.sound:
            # a file that cannot be read as tests: whether it can without the fault
            only = (test,) if "::" in test or stage.cargo else ("--collect-only", test)
            self.sound[test] = not test or self._asked(stage, *only).code == 0
        return self.sound[test]
