"""What changed the meaning of figures."""

import re

from lib import project, show, tables


def shown() -> show.Shown:
    """What changed the meaning of figures: the section of the changelog, as a table."""
    _, section = project.text("CHANGELOG.md").split("\n## Methodology\n", 1)
    lines = re.findall(r"^\|.*", section.partition("\n## ")[0], re.MULTILINE)
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
