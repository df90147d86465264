"""Runs the cells of a page: `.qmd` text in, executed notebook out."""

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
from publish.parts import split_options

LOG = logging.getLogger(__name__)
CELL_SECONDS = 120  # far more than any cell needs; a hanging cell must not hang the workflow

# starts of a kernel that ends at once: another program may take one of its ports before it does
STARTS = 3

# Run between two pages, since the project's modules keep state of a page, such as links and names.
# Not %reset, whose two garbage collections take a quarter of the processor time of all pages.
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
    """A kernel with the running Python, whatever kernels are registered."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        run = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        # results of cells are not kept as `_1`
        quiet = [
            "--HistoryManager.enabled=False",
            "--ZMQInteractiveShell.cache_size=0",
            "--IPKernelApp.log_level=40",
        ]
        return KernelSpec(argv=run + quiet, language="python", display_name=kernel_name)


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


class Kernel:
    """A kernel that runs pages in a project's folder, one after the other.

    Names and the project's modules are removed between pages. Libraries stay: importing them takes
    longer than most pages.
    """

    def __init__(self, folder: Path) -> None:
        self._forget = FORGET.format(folder=f"{folder}{os.sep}")
        self._folder = folder
        # messages of a stopped kernel go to the log, not to the terminal
        self._said = tempfile.TemporaryFile()  # noqa: SIM115  (closed by stop)
        self._prepare()

    def _prepare(self) -> None:
        """Choose the ports of a new kernel."""
        # by default the manager would write this file to the temporary folder
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
            # the kernel has nothing to save
            shutdown_kernel="immediate",
            resources={"metadata": {"path": str(self._folder)}},
        )

    async def run(self, page: Path, notebook: NotebookNode) -> None:
        """Run a page's cells; a failing cell ends it with an error of one line."""
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
        """Start the kernel, or clear the state of the page before."""
        if self._client.kc:
            await self._client.kc.execute_interactive(self._forget, silent=True)
            return
        for left in reversed(range(STARTS)):
            try:
                await self._start()
                return
            except (
                RuntimeError
            ) as error:  # jupyter_client's error for a kernel that ended before it answered
                LOG.warning("%s: %s", error, _all_of(self._said))
                if not left:
                    raise
                await self._end()
                self._prepare()

    async def _start(self) -> None:
        # Started and stopped here, not by nbclient: if another page fails meanwhile, nbclient's
        # exit hook would fail with a long message.
        self._connection.parent.mkdir(parents=True, exist_ok=True)
        await self._client.async_start_new_kernel(stdout=self._said, stderr=self._said)
        await self._client.async_start_new_kernel_client()

    async def stop(self) -> None:
        """Stop the kernel and remove its files."""
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
    """The output of a kernel."""
    file.seek(0)
    return file.read().decode(errors="replace")


def _failed(notebook: NotebookNode) -> str:
    """The label of the failed cell: the last one that was started."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    begun = [cell for cell in code if cell.get("execution_count") or cell.outputs]
    for cell in code:
        if any(output.output_type == "error" for output in cell.outputs):
            return label(cell)
    return label(begun[-1]) if begun else "(first)"


def label(cell: NotebookNode) -> str:
    """The label of a cell."""
    return str(split_options(cell.source)[0].get("label", "without a label"))
