"""Messages on stderr, errors of one line, and exit codes."""

import errno
import logging
import os
import signal
import stat
import sys
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import IntEnum
from pathlib import Path
from typing import TextIO

# The variable with the file for the exit code of a failed step: Snakemake itself always exits
# with 1.
EXIT_FILE_VARIABLE = "DISKBENCH_EXIT_FILE"

# the next step for a file or folder of the wrong kind
UNUSABLE = dict.fromkeys(
    (errno.EACCES, errno.EPERM, errno.EROFS), "make its folder writable"
) | dict.fromkeys(
    (errno.ENOTDIR, errno.EEXIST, errno.EISDIR), "move what is in its way to another place"
)

# length of that file in characters: the code, and spaces
CODE_WIDTH = 3


class ExitCode(IntEnum):
    """The exit codes of workflow and core; reports/manual/exit-codes.qmd says what to do."""

    DONE = 0
    UNEXPECTED = 1
    BAD_INPUT = 2
    NO_SPACE = 3
    FOLDER_UNUSABLE = 4
    BUSY = 5
    DAMAGED_RECORD = 6
    CELL_FAILED = 7
    RESTART_NEEDED = 8
    NOT_QUIET = 9
    INTERRUPTED = 130


class StudyError(Exception):
    """An error that the user can fix: `line` has the problem and the next step."""

    def __init__(self, code: ExitCode, line: str):
        super().__init__(line)
        self.code = code
        self.line = line


def no_room(place: Path | str) -> StudyError:
    """The error for a full disk."""
    return StudyError(
        ExitCode.NO_SPACE, f"the disk is full at {place}: free some space, then run again"
    )


def is_full(error: Exception | str) -> bool:
    """Whether an error, or a program's output, means a full disk or an exceeded quota."""
    if isinstance(error, OSError):
        return error.errno in (errno.ENOSPC, errno.EDQUOT)
    # messages of DuckDB, cargo, Python and Quarto contain the system's words
    return any(os.strerror(number) in str(error) for number in (errno.ENOSPC, errno.EDQUOT))


def say(line: str) -> None:
    """Print one line on stderr, made safe for a terminal."""
    echo(f"diskbench: {one_line(line)}")


def echo(line: str) -> None:
    """Print a line on stderr."""
    _print(line, sys.stderr)


def show(text: str, end: str = "\n") -> None:
    """Print what a command was called for, on stdout."""
    _print(text, sys.stdout, end)


def _print(text: str, stream: TextIO, end: str = "\n") -> None:
    """Print on a stream. If its reader has ended, as `head` does, or its terminal was closed, the
    text is dropped: the command completes its work, and ends with its own exit code."""
    try:
        print(text, file=stream, end=end, flush=True)
    except OSError as error:
        # of a file, an input/output error is its disk's
        is_terminal = stat.S_ISCHR(os.fstat(stream.fileno()).st_mode)
        if error.errno != errno.EPIPE and not (error.errno == errno.EIO and is_terminal):
            raise
        # or Python fails again when it ends, with code 120
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def one_line(text: str) -> str:
    """A text with spaces for control characters, line breaks and changes of direction.

    File names and texts of records are not trusted. Unicode categories: control, format, surrogate,
    line and paragraph separators.
    """
    unshown = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    return "".join(" " if unicodedata.category(one) in unshown else one for one in text)


def log_to(path: Path | None) -> None:
    """Write details (`logging`) to a new file; without one they are dropped."""
    handler: logging.Handler = logging.NullHandler()
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = logging.FileHandler(path, mode="w", encoding="utf-8")
    # on a full disk, failed log lines must not fill the terminal
    logging.raiseExceptions = False
    logging.basicConfig(
        handlers=[handler],
        level=logging.INFO,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        force=True,
    )


def run(main: Callable[[], int | None]) -> None:
    """Run `main` and exit with its code; a `StudyError` is printed as one line.

    The code is also written to the file in `EXIT_FILE_VARIABLE`, if set.
    """
    # without a log file, logging would print each error a second time
    logging.getLogger().addHandler(logging.NullHandler())
    try:
        code = _called(main) or ExitCode.DONE
    except StudyError as error:
        logging.getLogger(__name__).error("%s", error.line)
        say(error.line)
        code = error.code
    except KeyboardInterrupt:
        if EXIT_FILE_VARIABLE not in os.environ:
            # otherwise the launcher prints it once
            say("interrupted: run the same command again to resume")
        code = ExitCode.INTERRUPTED
    except Exception as error:
        if expected := _expected(error):
            say(expected.line)
            code = expected.code
        else:
            logging.getLogger(__name__).exception("unexpected")
            details = f" (details in {log_file()})" if log_file() else ""
            say(f"unexpected error: {type(error).__name__}: {error}{details}")
            code = ExitCode.UNEXPECTED
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else ExitCode.BAD_INPUT
    # ignore interrupts from here on, so that the interpreter's exit prints no traceback
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _leave_code(code)
    sys.exit(int(code))


def _called(main: Callable[[], int | None]) -> int | None:
    """Call `main`. An interrupted query of DuckDB is a KeyboardInterrupt."""
    try:
        return main()
    except RuntimeError as error:
        # DuckDB's Python client answers Ctrl-C with a plain RuntimeError
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from error
        raise


def _expected(error: Exception) -> StudyError | None:
    """The StudyError for an unexpected error that the user can fix, such as a full disk."""
    name = getattr(error, "filename", None)
    if is_full(error):
        return no_room(name or Path.cwd().name)
    if isinstance(error, OSError) and error.errno in UNUSABLE and name:
        return StudyError(
            ExitCode.FOLDER_UNUSABLE,
            f"cannot use {name} ({error.strerror}): {UNUSABLE[error.errno]}, then run again",
        )
    return None


@contextmanager
def report_and_exit() -> Iterator[None]:
    """For the Snakefile: prints a `StudyError` as one line and exits with its code."""
    try:
        yield
    except StudyError as error:
        say(error.line)
        _leave_code(error.code)
        sys.exit(int(error.code))


def log_file() -> Path | None:
    """The log file, if there is one."""
    handlers = logging.getLogger().handlers
    files = (Path(h.baseFilename) for h in handlers if isinstance(h, logging.FileHandler))
    return next(files, None)


def _leave_code(code: int) -> None:
    exit_file = os.environ.get(EXIT_FILE_VARIABLE)
    if exit_file and code != ExitCode.DONE:
        # overwrite the launcher's content: a full disk has no space for a new file
        path = Path(exit_file)
        with suppress(OSError), path.open("r+" if path.exists() else "w") as file:
            file.write(f"{int(code):<{CODE_WIDTH}}")
