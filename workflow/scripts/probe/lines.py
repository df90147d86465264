"""The driver's command lines, which probes use too, so that results apply to the driver.

The file is the core's, whose tests compare it with its calls
(core/diskbench-core/src/image/apple/calls/tests.rs).
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parents[3] / "core/diskbench-core/src/image/apple/calls/lines.json"


@cache
def _known() -> dict[str, Any]:
    return json.loads(FILE.read_text(encoding="utf-8"))


def types(tool: str) -> dict[str, str]:
    """The formats that a program makes, with its name for each."""
    return _known()["types"][tool]


def extensions() -> dict[str, str]:
    """The formats that macOS makes, with the suffix that it expects of each."""
    return _known()["extensions"]


def line(name: str, encrypted: bool = False) -> str:
    """A line by name, with placeholders in angle brackets."""
    return _known()["lines"][f"{name}, encrypted" if encrypted else name]


def words(of_line: str, **values: object) -> list[str]:
    """A program and its arguments: a line with these values. KeyError if one is missing."""
    return [
        re.sub(r"<(\w+)>", lambda found: str(values[found[1]]), word) for word in of_line.split()
    ]


def call(name: str, **values: object) -> list[str]:
    """The same for a line by name."""
    return words(line(name), **values)
