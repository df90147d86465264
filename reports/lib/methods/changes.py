"""Changes of method."""

import re

from lib import project, show, tables


def shown() -> show.Shown:
    """The section of the changelog on changes of method, as a table."""
    _, section = project.text("CHANGELOG.md").split("\n## Methodology\n", 1)
    lines = re.findall(r"^\|.*", section.partition("\n## ")[0], re.MULTILINE)
    _, _, *body = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return tables.table(
        reversed(body),
        [
            tables.text("Version", 0, tables.code),
            tables.number("Epoch of the harness", 1, tables.code),
            tables.number("Version of the record", 2, tables.code),
            tables.sentence("What changed", 3, tables.code),
        ],
        "What decides whether figures of two versions can be compared, newest first",
        name="changelog",
        classes="wide",
    )
