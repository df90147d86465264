"""Finds Quarto and renders the site with it."""

import logging
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from console import ExitCode, StudyError, is_full, no_room
from publish.progress import pass_on, say_page

LOG = logging.getLogger("publish")
# Quarto's line about a page, coloured: "\r[ 3/18] releases.qmd"
PAGE = re.compile(r"^\[ *(\d+)/(\d+)\] (\S+)$")
COLOUR = re.compile(r"\x1b\[[\d;]*m")


def program() -> str | None:
    """The program on PATH, if any."""
    return shutil.which("quarto")


def render(found: str, reports: Path, site: Path) -> None:
    """Run `quarto render` with the running Python; its messages go to the log.

    Quarto empties its output folder first, so it renders into a new one beside the site.
    """
    relative = site.relative_to(
        reports.resolve()
    ).as_posix()  # relative to the project, as Quarto requires
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
                    say_page(int(page[1]), int(page[2]), page[3])
                if line:
                    LOG.info("%s", line)
                    said.append(line)
                    pass_on(line)
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        if any(map(is_full, said)):
            raise no_room(reports)
        raise StudyError(ExitCode.UNEXPECTED, f"quarto render failed: {_reason(said)}")
    if not (site / "index.html").is_file():
        line = "quarto render made no index.html; the old site is kept: see the log"
        raise StudyError(ExitCode.UNEXPECTED, line)


def _reason(said: list[str]) -> str:
    """The line with the reason: a stack trace or a warning may follow it."""
    errors = [line for line in said if line.startswith("ERROR: ")]
    others = [line for line in said if not line.startswith("WARN: ")]
    return (errors or others or ["no message"])[-1]
