"""Calls macOS's programs by absolute path, in English, with a time limit; keeps answers."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from study.machine import place

# as in the driver (core/diskbench-core/src/program/run.rs)
PLAIN = {"LC_ALL": "C", "LANG": "C"}

# seconds between SIGTERM and SIGKILL
ENDING_SECONDS = 2.0


class OutOfTimeError(Exception):
    """The time limit of the probe is exceeded."""


@dataclass(frozen=True)
class Answer:
    """The answer of a program; `code` is None if it timed out or could not be started."""

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
        """Whether the exit code is 0."""
        return self.code == 0

    @property
    def text(self) -> str:
        """All output in lower case, with plain apostrophes."""
        said = (self.stderr + b"\n" + self.stdout).decode("utf-8", "replace")
        return said.replace("\u2019", "'").lower()

    @property
    def message(self) -> str:
        """The last line that is not a warning, and the exit status."""
        said = self.stderr.decode("utf-8", "replace") + self.stdout.decode("utf-8", "replace")
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        lines = [line for line in lines if "WARNING:" not in line and not line.startswith("<")]
        end = f"exit code {self.code}" if self.ended == "exited" else self.ended
        return f"{end}: {lines[-1]}" if lines and not self.is_good else end


@dataclass
class Programs:
    """The programs of this Mac, and their answers.

    `seconds` is the total time from the first call on, by `clock`.
    """

    seconds: float
    clock: Callable[[], float] = time.monotonic
    answers: list[Answer] = field(default_factory=list)
    _begun: float | None = None

    def left(self) -> float:
        """The remaining seconds."""
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
        """Run a program to its end; keep its answer if `name` is given. Raises OutOfTimeError.

        `given` is its complete stdin.
        """
        left = self.left()
        if left <= 0:
            raise OutOfTimeError
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
        """Reset the remaining time, for cleaning up."""
        self._begun, self.seconds = self.clock(), seconds


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
            # only this process receives Ctrl-C; it ends running programs, then cleans up
            start_new_session=True,
        )
    except OSError as error:
        return answer(f"not started ({error.strerror})", None)
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
    return answer(ended, code, out, err)


def _end(process: subprocess.Popen) -> None:
    """End a program and its children; one blocked in the kernel is left."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=ENDING_SECONDS)
            return
