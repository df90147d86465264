"""Run a page's cells: `.qmd` text in, executed notebook out."""

import logging
import os
import sys
import tempfile
import uuid
from pathlib import Path
from typing import BinaryIO

import jupytext
from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_core.paths import jupyter_runtime_dir
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from console import ExitCode, StudyError
from publish.subset import split_options

LOG = logging.getLogger(__name__)
CELL_SECONDS = 120  # far more than any cell needs; a cell that hangs must not hang the workflow

# Times that a kernel is started which ends at once: between the choice of its ports and their use
# another program may take one of them.
STARTS = 3

# Between two pages: the project's own modules keep things of their page, such as links and names.
# Not by %reset, which collects garbage twice: a quarter of the processor time of all pages.
FORGET = """
import sys
for name, module in list(sys.modules.items()):
    if (getattr(module, "__file__", None) or "").startswith({folder!r}):
        del sys.modules[name]
(lambda names, own: [names.pop(name) for name in {{*names}} - {{*own}}])(
    get_ipython().user_ns, get_ipython().user_ns_hidden
)
"""


class ThisPython(KernelSpecManager):
    """The kernel is the Python that runs now, whatever kernels the machine has registered."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        run = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        # nor is the result of a cell kept for later ones, as `_1`
        quiet = [
            "--HistoryManager.enabled=False",
            "--ZMQInteractiveShell.cache_size=0",
            "--IPKernelApp.log_level=40",
        ]
        return KernelSpec(argv=run + quiet, language="python", display_name=kernel_name)


def read(text: str) -> NotebookNode:
    """A page (without its YAML head) as a notebook."""
    notebook = jupytext.reads(text, fmt="Rmd")
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    for cell in notebook.cells:
        # ```{.sql} is shown, not run; jupytext makes a cell of it and remembers the language
        if cell.cell_type == "code" and "language" in cell.metadata:
            language = cell.metadata["language"].lstrip(".")
            cell.cell_type, cell.source = "markdown", f"```{language}\n{cell.source}\n```"
            cell.pop("outputs", None)
            cell.pop("execution_count", None)
    return notebook


class Kernel:
    """A Python that runs pages in a project's folder, one page after the other.

    Each page finds no names and none of the project's modules of the page before. Libraries stay:
    to import them takes longer than most pages.
    """

    def __init__(self, folder: Path) -> None:
        self._forget = FORGET.format(folder=f"{folder}{os.sep}")
        self._folder = folder
        # a kernel that is stopped says so at length: that is for the log, not for the terminal
        self._said = tempfile.TemporaryFile()  # noqa: SIM115  (closed by stop)
        self._prepare()

    def _prepare(self) -> None:
        """Choose the ports of a kernel that is to be started."""
        # left to itself, the manager would make this file in the folder for temporary files
        self._connection = Path(jupyter_runtime_dir()) / f"kernel-{uuid.uuid4()}.json"
        self._manager = AsyncKernelManager(
            kernel_spec_manager=ThisPython(),
            kernel_name="python3",
            connection_file=str(self._connection),
        )
        self._client = NotebookClient(
            NotebookNode(),
            km=self._manager,
            timeout=CELL_SECONDS,
            # it has nothing to save
            shutdown_kernel="immediate",
            resources={"metadata": {"path": str(self._folder)}},
        )

    async def run(self, page: Path, notebook: NotebookNode) -> None:
        """Run a page's cells; a cell that fails ends it with one line."""
        if not any(cell.cell_type == "code" for cell in notebook.cells):
            return
        try:
            await self._begin()
            self._client.nb = notebook
            await self._client.async_execute()
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            LOG.error("%s\n%s\n%s", page, error, _all_of(self._said))
            cell = getattr(error, "ename", None) and f"{error.ename}: {error.evalue}"
            reason = " ".join((cell or str(error)).split())
            line = f"{page}, cell {_failed(notebook)}: {reason}"
            raise StudyError(ExitCode.UNEXPECTED, line) from None

    async def _begin(self) -> None:
        """Start the kernel, or have it forget the page before."""
        if self._client.kc:
            await self._client.kc.execute_interactive(self._forget, silent=True)
            return
        for left in reversed(range(STARTS)):
            try:
                await self._start()
                return
            except RuntimeError as error:  # jupyter_client's for one that ended before it answered
                LOG.warning("%s: %s", error, _all_of(self._said))
                if not left:
                    raise
                await self._end()
                self._prepare()

    async def _start(self) -> None:
        # Started and ended here: where nbclient does it, and is stopped meanwhile by a page that
        # fails beside this one, its hook for the end of the process fails, at length.
        self._connection.parent.mkdir(parents=True, exist_ok=True)
        await self._client.async_start_new_kernel(stdout=self._said, stderr=self._said)
        await self._client.async_start_new_kernel_client()

    async def stop(self) -> None:
        """End the Python; nothing of it is left."""
        try:
            await self._end()
        finally:
            self._said.close()

    async def _end(self) -> None:
        try:
            if self._manager.has_kernel:
                await self._manager.shutdown_kernel(now=True)
        finally:
            if self._client.kc:
                self._client.kc.stop_channels()
            self._connection.unlink(missing_ok=True)


def _all_of(file: BinaryIO) -> str:
    """What a kernel wrote."""
    file.seek(0)
    return file.read().decode(errors="replace")


def _failed(notebook: NotebookNode) -> str:
    """The label of the cell that ended the run: the last one that was begun."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    begun = [cell for cell in code if cell.get("execution_count") or cell.outputs]
    for cell in code:
        if any(output.output_type == "error" for output in cell.outputs):
            return label(cell)
    return label(begun[-1]) if begun else "(first)"


def label(cell: NotebookNode) -> str:
    """What a cell calls itself."""
    return str(split_options(cell.source)[0].get("label", "without a label"))
