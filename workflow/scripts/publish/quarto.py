"""Quarto: whether it is here, which version, and the site rendered by it."""

import logging
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from console import ExitCode, StudyError
from publish.progress import Progress, pass_on

LOG = logging.getLogger("publish")
# Quarto names the page that it begins, in colour: "\r[ 3/18] releases.qmd"
PAGE = re.compile(r"^\[ *(\d+)/(\d+)\] (\S+)$")
COLOUR = re.compile(r"\x1b\[[\d;]*m")
VERSION_SECONDS = 60  # it is read from a file beside the program: far more than that takes


def program() -> str | None:
    """The program on PATH, if there is one."""
    return shutil.which("quarto")


def renderer() -> str:
    """What would render the site now: `plain`, or `Quarto` with its version."""
    found = program()
    if found is None:
        return "plain"
    try:
        told = subprocess.run(
            [found, "--version"],
            capture_output=True,
            text=True,
            timeout=VERSION_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return "Quarto"
    return f"Quarto {told.stdout.strip()}"


def render(found: str, reports: Path, site: Path) -> None:
    """`quarto render`, with the Python that runs now; its messages go to the log.

    Quarto empties the folder that it renders into first, so that is a new one beside the site.
    """
    relative = site.relative_to(reports.resolve()).as_posix()  # to the project, as Quarto wants it
    progress = Progress()
    said = []
    with subprocess.Popen(
        [found, "render", str(reports), "--output-dir", relative],
        env=os.environ | {"QUARTO_PYTHON": sys.executable},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as process:
        try:
            for raw in process.stdout:
                line = COLOUR.sub("", raw).strip()
                page = PAGE.match(line)
                if page:
                    progress.page(int(page[1]), int(page[2]), page[3])
                if line:
                    LOG.info("%s", line)
                    said.append(line)
                    pass_on(line)
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        reason = said[-1] if said else "no message"
        raise StudyError(ExitCode.UNEXPECTED, f"quarto render failed: {reason}")
    if not (site / "index.html").is_file():
        line = "quarto render made no index.html; the old site is kept: see the log"
        raise StudyError(ExitCode.UNEXPECTED, line)
