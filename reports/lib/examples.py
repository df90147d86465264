"""The notebook's worked questions, shared with the page `query`.

Each is a cell of `notebook.qmd` with a label `ask-...`; the heading above it is its title.
"""

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

NOTEBOOK = Path(__file__).resolve().parents[1] / "notebook.qmd"

# a heading, or a cell with a question
PART = re.compile(
    r"^## (?P<title>[^\n]+)$|^```\{python\}\n#\| label: ask-(?P<name>[\w-]+)\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
SQL = re.compile(r'query\("""\n(.*?)"""\)', re.DOTALL)


@dataclass(frozen=True)
class Chart:
    """How to draw the rows of an answer: columns by position."""

    mark: str  # bar, point or line
    x: str
    y: str
    color: str = ""


@dataclass(frozen=True)
class Example:
    """A question, the SQL that answers it, and a chart if useful."""

    name: str
    title: str
    sql: str
    chart: Chart | None = None


CHARTS = {
    "fastest-encrypted": Chart("bar", "write_gbps", "format", "basis"),
    "encryption-cost": Chart("bar", "write_loss_percent", "format", "basis"),
    "release-change": Chart("point", "ratio", "format", "encryption"),
    "published-holds": Chart("point", "ratio", "format", "verdict"),
    "my-records": Chart("point", "measured_gbps", "format", "op"),
    "slowest-files": Chart("bar", "times_slower", "format", "op"),
    "later-files": Chart("line", "set", "median_gbps", "op"),
    "sizes": Chart("bar", "megabytes", "format", "basis"),
    "rounds": Chart("line", "round", "gbps", "format"),
    "statistics": Chart("point", "theil_sen", "total", "op"),
}


def read(text: str) -> list[Example]:
    """The examples in the text of a notebook, in order."""
    found, title = [], ""
    for part in PART.finditer(text):
        if part["title"]:
            title = part["title"].strip()
            continue
        [sql] = SQL.findall(part["code"])
        statement = textwrap.dedent(sql).strip()
        found.append(Example(part["name"], title, statement, CHARTS.get(part["name"])))
    return found


EXAMPLES = read(NOTEBOOK.read_text(encoding="utf-8"))
