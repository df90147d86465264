"""Calling the programs of macOS: whole paths, plain English, a time limit, every answer kept."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from console import ExitCode, StudyError
from study.machine import STAND_IN

# An environment like conda's has other programs of the same names.
PLACES = "/usr/bin:/usr/sbin:/bin:/sbin"

# As the driver calls them (core/diskbench-core/src/program/run.rs).
PLAIN = {"LC_ALL": "C", "LANG": "C"}

# An answer of the study's programs has some kilobytes; more than this nobody reads.
MOST_BYTES = 256 << 10

# A program that is asked to end gets so long before it is killed.
ENDING_SECONDS = 2.0


class OutOfTimeError(Exception):
    """The probe's time is over."""


@dataclass(frozen=True)
class Answer:
    """What a program answered; `code` is None where it was given up or could not be started."""

    name: str
    program: str
    arguments: tuple[str, ...]
    ended: str
    code: int | None
    stdout: bytes
    stderr: bytes
    elapsed_ms: int

    @property
    def is_good(self) -> bool:
        """Whether it ended with 0."""
        return self.code == 0

    @property
    def text(self) -> str:
        """Everything that it said, in small letters, with plain apostrophes."""
        said = (self.stderr + b"\n" + self.stdout).decode("utf-8", "replace")
        return said.replace("\u2019", "'").lower()

    @property
    def message(self) -> str:
        """The last line that is no warning, and how it ended."""
        said = self.stderr.decode("utf-8", "replace") + self.stdout.decode("utf-8", "replace")
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        lines = [line for line in lines if "WARNING:" not in line and not line.startswith("<")]
        end = f"exit code {self.code}" if self.ended == "exited" else self.ended
        return f"{end}: {lines[-1]}" if lines and not self.is_good else end


@dataclass
class Programs:
    """The programs of this Mac, and what they answered.

    `seconds` is all the time there is, from the first call on; `clock` tells it.
    """

    seconds: float
    clock: Callable[[], float] = time.monotonic
    answers: list[Answer] = field(default_factory=list)
    calls: int = 0
    _begun: float | None = None

    def left(self) -> float:
        """Seconds that are left."""
        if self._begun is None:
            self._begun = self.clock()
        return self.seconds - (self.clock() - self._begun)

    def call(
        self,
        name: str | None,
        program: str,
        *arguments: str | Path,
        given: bytes = b"",
        limit: float = 60,
        environment: dict[str, str] | None = None,
    ) -> Answer:
        """Run a program to its end; with a name its answer is kept. Raises OutOfTimeError.

        `given` is what it reads from stdin, nothing else is there to be read.
        """
        left = self.left()
        if left <= 0:
            raise OutOfTimeError
        self.calls += 1
        answer = _run(
            name or "",
            program,
            tuple(map(str, arguments)),
            given,
            min(limit, left),
            PLAIN if environment is None else environment,
        )
        if name is not None:
            if any(one.name == name for one in self.answers):
                raise ValueError(f"a second answer of the name {name}")
            self.answers.append(answer)
        return answer

    def more_time(self, seconds: float) -> None:
        """Allow so much from now on, whatever was used before: for cleaning up."""
        self._begun, self.seconds = self.clock(), seconds


def place(program: str) -> str:
    """Where a program lies: what stands in for it, or macOS's own. Raises FileNotFoundError."""
    folder = os.environ.get(STAND_IN)
    # a link that leads nowhere stands for a program that the Mac does not have
    if folder and os.path.lexists(Path(folder) / program):
        return str(Path(folder) / program)
    found = shutil.which(program, path=PLACES)
    if found is None:
        raise FileNotFoundError(program)
    return found


def refuse_elsewhere(system: str) -> None:
    """Raise StudyError (not fit) where there are no programs of macOS."""
    if system != "Darwin" and not os.environ.get(STAND_IN):
        raise StudyError(
            ExitCode.NOT_QUIET,
            f"a probe tests macOS, and this is {system}: run it on a Mac; nothing was changed",
        )


def _run(
    name: str,
    program: str,
    arguments: tuple[str, ...],
    given: bytes,
    limit: float,
    environment: dict[str, str],
) -> Answer:
    begun = time.monotonic()

    def answer(ended: str, code: int | None, out: bytes = b"", err: bytes = b"") -> Answer:
        elapsed_ms = round((time.monotonic() - begun) * 1000)
        return Answer(name, program, arguments, ended, code, out, err, elapsed_ms)

    plain = {key: value for key, value in os.environ.items() if key not in ("LC_ALL", "LANG")}
    try:
        process = subprocess.Popen(
            [place(program), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=plain | environment,
            # Ctrl-C at the terminal is ours: what was begun is ended, then everything is cleaned up
            start_new_session=True,
        )
    except OSError as error:
        return answer(f"not started ({error.strerror or 'not found'})", None)
    try:
        out, err = process.communicate(given, timeout=limit)
    except subprocess.TimeoutExpired:
        _end(process)
        return answer(f"given up after {limit:.0f} s", None)
    except BaseException:
        _end(process)
        raise
    ended = "exited" if process.returncode >= 0 else f"signal {-process.returncode}"
    code = process.returncode if process.returncode >= 0 else None
    return answer(ended, code, out[:MOST_BYTES], err[:MOST_BYTES])


def _end(process: subprocess.Popen) -> None:
    """End a program and what it started; one that the kernel holds is left to it."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=ENDING_SECONDS)
            return
