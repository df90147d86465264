"""`python -m publish --reports reports --log FILE [--plain]`"""

import argparse
import os
import time
from pathlib import Path

from console import log_to, run, say
from places import DATABASE
from publish import elsewhere, plain, quarto
from publish.announce import address, announce
from publish.project import load


def main() -> None:
    """Render the site with Quarto if found, else with the plain renderer."""
    options = _options()
    log_to(options.log)
    reports = options.reports
    if options.copy:
        reports = elsewhere.copy(reports.parent, options.copy, DATABASE)
    project = load(reports)
    address(project)  # check it before minutes of work
    found = quarto.program()
    began = time.monotonic()
    if found and not options.plain:
        with plain.new_site(project.site) as site:
            quarto.render(found, reports, site)
            announce(project, site)
        name = "Quarto"
    else:
        plain.render(project)
        name = "the plain renderer (quarto is not here)" if not found else "the plain renderer"
    site = project.site
    if options.copy:
        site = Path("reports/_site")
        elsewhere.move(project.site, site)
    start = os.path.relpath(site / "index.html")
    say(f"{len(project.pages())} pages by {name} in {time.monotonic() - began:.0f} s: {start}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m publish", description=main.__doc__)
    parser.add_argument("--reports", type=Path, required=True, help="the Quarto project")
    parser.add_argument(
        "--copy",
        type=Path,
        help="render a copy of the project in this folder, into ./reports/_site",
    )
    parser.add_argument("--log", type=Path, help="file for the details")
    parser.add_argument("--plain", action="store_true", help="render without Quarto")
    return parser.parse_args()


if __name__ == "__main__":
    run(main)
