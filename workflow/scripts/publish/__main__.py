"""`python -m publish --reports reports --log FILE [--renderer auto|quarto|plain]`"""

import argparse
import logging
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from console import ExitCode, StudyError, log_to, run, say
from publish import pdf, plain
from publish.project import load

LOG = logging.getLogger("publish")


def main() -> None:
    """Render the site with Quarto where it is found, else with the plain renderer."""
    options = _options()
    log_to(options.log)
    project = load(options.reports)
    quarto = shutil.which("quarto")
    if options.renderer == "quarto" and quarto is None:
        line = "there is no quarto on PATH; install it, or leave out --renderer quarto"
        raise StudyError(ExitCode.BAD_INPUT, line)
    began = time.monotonic()
    if quarto and options.renderer != "plain":
        with pdf.made(quarto, project.folder) as papers, plain.new_site(project.site) as site:
            _quarto(quarto, options.reports, site, papers)
        name = f"Quarto, {len(papers)} of them as PDF, too," if papers else "Quarto"
    else:
        plain.render(project)
        name = "the plain renderer (quarto is not here)" if not quarto else "the plain renderer"
    start = os.path.relpath(project.site / "index.html")
    say(f"{len(project.pages())} pages by {name} in {time.monotonic() - began:.0f} s: {start}")


def _quarto(quarto: str, reports: Path, site: Path, papers: list[Path]) -> None:
    """`quarto render`, with the Python that runs now; its messages go to the log.

    Pages are told which PDFs there are and link to them. Quarto empties the folder that it renders
    into first, so that is a new one beside the site.
    """
    relative = site.relative_to(reports.resolve()).as_posix()  # to the project, as Quarto wants it
    result = subprocess.run(
        [quarto, "render", str(reports), "--output-dir", relative],
        env=os.environ | {"QUARTO_PYTHON": sys.executable, pdf.TOLD: pdf.names(papers)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    LOG.info("%s", result.stdout)
    plain.pass_on(result.stdout)
    if result.returncode:
        said = [line.strip() for line in result.stdout.splitlines() if line.strip()]
        reason = said[-1] if said else "no message"
        raise StudyError(ExitCode.UNEXPECTED, f"quarto render failed: {reason}")
    if not (site / "index.html").is_file():
        line = "quarto render made no index.html; the old site stays: see the log"
        raise StudyError(ExitCode.UNEXPECTED, line)
    for paper in papers:
        (site / pdf.FOLDER).mkdir(exist_ok=True)
        shutil.copyfile(paper, site / pdf.FOLDER / paper.name)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m publish", description=main.__doc__)
    parser.add_argument("--reports", type=Path, required=True, help="the Quarto project")
    parser.add_argument("--log", type=Path, help="file for the details")
    parser.add_argument("--renderer", choices=["auto", "quarto", "plain"], default="auto")
    return parser.parse_args()


if __name__ == "__main__":
    run(main)
