"""Runs the cells of pages: `.qmd` text in, executed notebooks out."""

import multiprocessing
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path

import jupytext
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from nbformat import NotebookNode, v4
from traitlets.config import Config

from publish.parts import split_options

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


def read(text: str) -> NotebookNode:
    """The notebook of a page (without its YAML head)."""
    notebook = jupytext.reads(text, fmt="Rmd")
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    for cell in notebook.cells:
        # ```{.sql} is shown, not run; jupytext makes it a cell and notes the language
        if cell.cell_type == "code" and "language" in cell.metadata:
            language = cell.metadata["language"].lstrip(".")
            cell.cell_type, cell.source = "markdown", f"```{language}\n{cell.source}\n```"
            cell.pop("outputs", None)
            cell.pop("execution_count", None)
    return notebook


def execute(
    folder: Path, pages: dict[Path, str], count: int
) -> Iterator[tuple[Path, NotebookNode]]:
    """The executed notebooks of pages, by their texts, in the order in which they are done.

    They run in so many processes, in a project's folder. Each process runs one page after the
    other: importing the libraries takes longer than most pages. A CellError if a cell fails.
    """
    left = iter(pages.items())
    with _processes(folder, count) as idle:
        busy: dict[Connection, Path] = {}
        while True:
            for connection, (page, text) in zip(idle, left, strict=False):
                connection.send((page, text))
                busy[connection] = page
            if not busy:
                return
            idle = wait(busy, PAGE_SECONDS)
            if not idle:
                names = ", ".join(map(str, busy.values()))
                raise CellError(f"{names}: not finished in {PAGE_SECONDS} s", "")
            for connection in idle:
                page = busy.pop(connection)
                try:
                    result = connection.recv()
                except EOFError:
                    result = CellError(f"{page}: the process that ran it was ended", "")
                if isinstance(result, CellError):
                    raise result
                yield page, result


@contextmanager
def _processes(folder: Path, count: int) -> Iterator[list[Connection]]:
    """Starts processes that answer a page with its notebook, or with a CellError."""
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
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
    with suppress(EOFError):  # nobody is there any more
        while True:
            page, text = pages.recv()
            try:
                pages.send(_run(page, text))
            except CellError as error:
                pages.send(error)


def _run(page: Path, text: str) -> NotebookNode:
    """The executed notebook of a page."""
    shell, notebook = _shell(), read(text)
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        # the trap, entered before, lets results of cells be captured like what they display
        with shell.display_trap, capture_output() as said:
            result = shell.run_cell(cell.source, store_history=False)
        if not result.success:
            error = result.error_before_exec or result.error_in_exec
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            raise CellError(f"{page}, cell {label(cell)}: {reason}", said.stdout)
        printed = {"stdout": said.stdout, "stderr": said.stderr}
        cell.outputs = [
            *(v4.new_output("stream", name=to, text=text) for to, text in printed.items() if text),
            *(v4.new_output("display_data", data=shown.data) for shown in said.outputs),
        ]
    return notebook


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


def label(cell: NotebookNode) -> str:
    """The label of a cell."""
    return str(split_options(cell.source)[0].get("label", "without a label"))
