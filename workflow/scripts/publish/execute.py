"""Run a page's cells: `.qmd` text in, executed notebook out."""

import logging
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


class ThisPython(KernelSpecManager):
    """The kernel is the Python that runs now, whatever kernels the machine has registered."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        run = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        quiet = ["--HistoryManager.enabled=False", "--IPKernelApp.log_level=40"]
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


async def execute(page: Path, notebook: NotebookNode, folder: Path) -> NotebookNode:
    """Run the cells in the project's folder; a cell that fails ends it with one line."""
    if not any(cell.cell_type == "code" for cell in notebook.cells):
        return notebook  # a kernel takes a second or two to start
    # left to itself, the manager would make this file in the folder for temporary files
    connection = Path(jupyter_runtime_dir()) / f"kernel-{uuid.uuid4()}.json"
    connection.parent.mkdir(parents=True, exist_ok=True)
    manager = AsyncKernelManager(
        kernel_spec_manager=ThisPython(),
        kernel_name="python3",
        connection_file=str(connection),
    )
    client = NotebookClient(
        notebook,
        km=manager,
        timeout=CELL_SECONDS,
        # it has nothing to save
        shutdown_kernel="immediate",
        resources={"metadata": {"path": str(folder)}},
    )
    # a kernel that is stopped says so at length: that is for the log, not for the terminal
    with tempfile.TemporaryFile() as said:
        try:
            # Started and ended here: where nbclient does it, and is stopped meanwhile by a page
            # that fails beside this one, its hook for the end of the process fails, at length.
            await client.async_start_new_kernel(stdout=said, stderr=said)
            await client.async_start_new_kernel_client()
            await client.async_execute()
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            LOG.error("%s\n%s\n%s", page, error, _all_of(said))
            cell = getattr(error, "ename", None) and f"{error.ename}: {error.evalue}"
            reason = " ".join((cell or str(error)).split())
            line = f"{page}, cell {_failed(notebook)}: {reason}"
            raise StudyError(ExitCode.UNEXPECTED, line) from None
        finally:
            if manager.has_kernel:
                await manager.shutdown_kernel(now=True)
            if client.kc:
                client.kc.stop_channels()
            connection.unlink(missing_ok=True)
    return notebook


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
