"""A lock on a file, released when its process ends."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from console import ExitCode, StudyError


@contextmanager
def held(path: Path, busy: str) -> Iterator[None]:
    """Hold the lock on a file in an existing folder.

    Raises StudyError (busy) with this message if another process has it, and OSError.
    """
    with path.open("w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise StudyError(ExitCode.BUSY, busy) from error
        yield


def is_held(path: Path) -> bool:
    """Whether a process holds the lock on a file."""
    try:
        with held(path, ""):
            return False
    except FileNotFoundError:
        return False
    except StudyError:
        return True
