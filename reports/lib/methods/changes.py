"""What changed the meaning of figures."""

import re

from lib import project, show, tables


def shown() -> show.Shown:
    """What changed the meaning of figures: the section of the changelog, as a table."""
    lines = _section("CHANGELOG.md", "## Methodology", r"\|")
    head, _, *body = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    head = [name.strip() for name in head]
    return tables.table(
        [
            {name: tables.code(cell) for name, cell in zip(head, row, strict=True)}
            for row in reversed(body)
        ],
        {
            "version": "Version",
            "epoch": "Epoch of the harness",
            "record_version": "Version of the record",
            "what": "What changed",
        },
        "What decides whether figures of two versions can be compared, newest first",
        numbers=["epoch", "record_version"],
        name="changelog",
        classes="wide",
    )


def _section(file: str, heading: str, mark: str) -> list[str]:
    """The lines of a section that begin like this; the section must be there."""
    level = heading.split(" ")[0]
    _, part = project.text(file).split(f"\n{heading}\n", 1)
    part = re.split(rf"\n#{{1,{len(level)}}} ", part)[0]
    return [line for line in part.splitlines() if re.match(mark, line)]
