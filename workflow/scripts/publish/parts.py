"""The parts of a page's source: its YAML head, and the options of its cells."""

import re

import yaml

HEAD = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)


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
