"""Runs the cells of pages: `.qmd` text in, executed parts out."""

import multiprocessing
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

from publish.parts import Part, read

PAGE_SECONDS = 300  # far more than any page needs; a hanging cell must not hang the workflow
# nothing is kept of a cell but its output
SHELL = Config(
    {
        "HistoryManager": {"enabled": False},
        "InteractiveShell": {"cache_size": 0, "colors": "nocolor"},
    }
)


class CellError(Exception):
    """A cell that failed, in one line; and the details, for the log."""


def execute(folder: Path, pages: dict[Path, str], count: int) -> Iterator[tuple[Path, list[Part]]]:
    """The executed parts of pages, by their texts, in the order in which they are done.

    They run in so many processes, in a project's folder. Each process runs one page after the
    other: importing the libraries takes longer than most pages. A CellError if a cell fails.
    """
    left = iter(pages.items())
    with _processes(folder, count) as idle:
        busy: dict[Connection, Path] = {}
        done: list[tuple[Path, list[Part]]] = []
        while True:
            for connection, (page, text) in zip(idle, left, strict=False):
                connection.send((page, text))
                busy[connection] = page
            yield from done
            if not busy:
                return
            idle = wait(busy, PAGE_SECONDS)
            if not idle:
                names = ", ".join(map(str, busy.values()))
                raise CellError(f"{names}: not finished in {PAGE_SECONDS} s", "")
            done = [_received(connection, busy.pop(connection)) for connection in idle]


def _received(connection: Connection, page: Path) -> tuple[Path, list[Part]]:
    """A page with what its process made of it."""
    try:
        result = connection.recv()
    except (EOFError, OSError):
        result = CellError(f"{page}: the process that ran it was ended", "")
    if isinstance(result, CellError):
        raise result
    return page, result


@contextmanager
def _processes(folder: Path, count: int) -> Iterator[list[Connection]]:
    """Starts processes that answer a page with its parts, or with a CellError."""
    context = multiprocessing.get_context("spawn")
    ends, started = [], []
    with tempfile.TemporaryDirectory(prefix="diskbench-") as home:
        # Ctrl-C is for the process that called, which ends these
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            for _ in range(count):
                ours, theirs = context.Pipe()
                given = (theirs, folder, home)
                started.append(context.Process(target=_serve, args=given, daemon=True))
                started[-1].start()
                theirs.close()  # so that the end of the process can be seen
                ends.append(ours)
        finally:
            signal.signal(signal.SIGINT, handler)
        try:
            yield ends
        finally:
            for process in started:
                process.kill()
                process.join()


def _serve(pages: Connection, folder: Path, home: str) -> None:
    """Runs the pages that come, in their folder, silently, with IPython's files in `home`."""
    os.environ["IPYTHONDIR"] = home
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    with suppress(EOFError):  # nobody is there any more
        while True:
            page, text = pages.recv()
            try:
                pages.send(_run(page, text))
            except CellError as error:
                pages.send(error)


def _run(page: Path, text: str) -> list[Part]:
    """The parts of a page, its cells executed."""
    shell, parts = _shell(), read(text)
    for cell in parts:
        if not cell.is_cell:
            continue
        # the trap, entered before, lets results of cells be captured like what they display
        with shell.display_trap, capture_output() as said:
            result = shell.run_cell(cell.source, store_history=False)
        where = f"{page}, cell {cell.label}"
        if not result.success:
            error = result.error_before_exec or result.error_in_exec
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            raise CellError(f"{where}: {reason}", said.stdout)
        cell.printed = said.stdout + said.stderr
        for output in said.outputs:
            if "text/markdown" not in output.data:
                # for HTML, Quarto would add scripts from another host
                kinds = ", ".join(sorted(output.data))
                advice = "wrap it in one of lib.show's or lib.tables' functions"
                raise CellError(f"{where}: shows {kinds} and no Markdown; {advice}", "")
            cell.shown.append(output.data["text/markdown"])
    return parts


def _shell() -> InteractiveShell:
    """A shell without the names of the page before, and without the project's modules.

    These keep state of a page, such as links and names.
    """
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(f"{Path.cwd()}{os.sep}"):
            del sys.modules[name]
    shell = InteractiveShell.instance(config=SHELL)
    for name in {*shell.user_ns} - {*shell.user_ns_hidden}:
        del shell.user_ns[name]
    return shell
