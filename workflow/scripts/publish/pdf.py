"""The article pages as PDF, by Quarto and the Typst that comes with it.

Quarto's profile `pdf` renders them into a folder of its own, before the site: the pages can then
link to just the PDFs that are there. A PDF is welcome and no more: whatever goes wrong is one
line of warning, and the site comes without it.
"""

import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from console import say

LOG = logging.getLogger("publish")
FOLDER = "articles"  # of the pages that become PDFs
PROFILE = "_quarto-pdf.yml"
OUTPUT = "_pdf"  # output-dir of the profile
TOLD = "DISKBENCH_PDFS"  # the variable by which pages know the PDFs: reports/lib/paper.py
SECONDS = 600  # far more than seven pages need


@contextmanager
def made(quarto: str, reports: Path) -> Iterator[list[Path]]:
    """Render the PDFs and give their paths; the folders they were made in go again."""
    output, charts = reports / OUTPUT, reports / FOLDER / "pdf"
    try:
        _empty(output, charts)
        if (reports / PROFILE).is_file():
            _render(quarto, reports)
        yield sorted((output / FOLDER).glob("*.pdf"))
    finally:
        _empty(output, charts)


def names(papers: list[Path]) -> str:
    """The PDFs as pages are told of them: their names without the ending."""
    return " ".join(paper.stem for paper in papers)


def _render(quarto: str, reports: Path) -> None:
    command = [quarto, "render", str(reports / FOLDER), "--profile", "pdf", "--to", "typst"]
    try:
        result = subprocess.run(
            command,
            env=os.environ | {"QUARTO_PYTHON": sys.executable},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        _warn(" ".join(str(error).split()))
        return
    LOG.info("%s", result.stdout)
    if result.returncode:
        said = [line.strip() for line in result.stdout.splitlines() if line.strip()]
        _warn(said[-1] if said else "no message")


def _warn(reason: str) -> None:
    line = f"not every article page became a PDF: {reason}; the site comes without those"
    LOG.warning("%s", line)
    say(line)


def _empty(*folders: Path) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
