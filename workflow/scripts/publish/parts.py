"""The parts of a page: its YAML head, its text and its cells."""

import re
from dataclasses import dataclass, field

import yaml

HEAD = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
# text is between the cells, and with it all code that is only shown
CELL = re.compile(r"^```\{python\}\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass
class Part:
    """A part of a page: text, or a cell with what it printed, and what it shows, in Markdown."""

    source: str
    is_cell: bool
    printed: str = ""
    shown: list[str] = field(default_factory=list)

    @property
    def label(self) -> str:
        """The label of a cell."""
        return str(split_options(self.source)[0].get("label", "without a label"))


def read(text: str) -> list[Part]:
    """The parts of a page (without its YAML head)."""
    return [
        Part(source.strip("\n"), is_cell=bool(at % 2)) for at, source in enumerate(CELL.split(text))
    ]


def split_head(text: str) -> tuple[dict, str]:
    """A page's YAML head and the rest of it."""
    found = HEAD.match(text)
    if not found:
        return {}, text
    return yaml.safe_load(found[1]) or {}, text[found.end() :]


def split_options(source: str) -> tuple[dict, str]:
    """The `#|` options of a cell and its code."""
    lines = source.splitlines()
    count = next((i for i, line in enumerate(lines) if not line.startswith("#|")), len(lines))
    options = yaml.safe_load("\n".join(line[2:].removeprefix(" ") for line in lines[:count])) or {}
    return options, "\n".join(lines[count:]).strip("\n")
