"""Turns an executed notebook into Markdown for pandoc, as Quarto does."""

import logging
from pathlib import Path

from nbformat import NotebookNode

from console import ExitCode, StudyError
from publish.execute import label
from publish.parts import split_options

LOG = logging.getLogger(__name__)


def assemble(page: Path, notebook: NotebookNode, defaults: dict) -> str:
    """The Markdown of a page; `defaults` are options of cells."""
    return "\n\n".join(_cell(page, cell, defaults) for cell in notebook.cells) + "\n"


def _cell(page: Path, cell: NotebookNode, defaults: dict) -> str:
    if cell.cell_type != "code":
        return cell.source
    options, code = split_options(cell.source)
    options = defaults | options
    wanted = options.get("output", True)
    outputs = [_output(page, cell, output) for output in cell.outputs] if wanted else []
    outputs = [output for output in outputs if output]
    if wanted == "asis":  # no enclosing div: its headings belong to the page's table of contents
        return "\n\n".join(outputs)
    shown = options.get("echo", True) and code
    parts = [f"````{{.python .cell-code}}\n{code}\n````"] if shown else []
    parts += map(_div, outputs)
    return "\n\n".join([f"::: {{.cell #{label(cell)}}}", *parts, ":::"]) if parts else ""


def _output(page: Path, cell: NotebookNode, output: NotebookNode) -> str:
    if output.output_type == "stream":
        LOG.warning("%s, cell %s: %s", page, label(cell), output.text)
        return ""
    if "text/markdown" in output.data:
        return output.data["text/markdown"]
    # for HTML, Quarto would add scripts from another host
    line = (
        f"{page}, cell {label(cell)}: shows {', '.join(sorted(output.data))} and no Markdown; "
        "wrap it in one of lib.show's or lib.tables' functions"
    )
    raise StudyError(ExitCode.UNEXPECTED, line)


def _div(content: str) -> str:
    return f"::: {{.cell-output}}\n\n{content}\n\n:::"
