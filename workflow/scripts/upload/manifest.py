"""The manifest that goes with a published site: each file's SHA-256 checksum and path.

Its lines are those of `sha256sum`: `sha256sum --check .diskbench-site` verifies a site. While a
folder is being replaced it has the lines of the old site and of the new one.
"""

import re
from collections.abc import Iterable

from console import ExitCode, StudyError

NAME = ".diskbench-site"

# Path -> the checksums with which a file is ours.
Manifest = dict[str, set[str]]

_LINE = re.compile(r"([0-9a-f]{64})  (.+)")


def parse(text: str, target: str) -> Manifest:
    """The manifest in a text. Raises StudyError (bad input) where there is none in it."""
    matches = [_LINE.fullmatch(line) for line in text.splitlines()]
    if not all(matches) or not matches:
        # an older diskbench left an empty file of this name
        raise StudyError(
            ExitCode.BAD_INPUT,
            f"{target} has a site whose list of files ({NAME}) is empty or damaged, as an older "
            "diskbench left it: delete that site there, then call again",
        )
    found: Manifest = {}
    for match in matches:
        found.setdefault(match[2], set()).add(match[1])
    return found


def text(files: Iterable[tuple[str, str]]) -> str:
    """The manifest of (path, checksum) pairs; a path may have more than one."""
    return "".join(f"{checksum}  {path}\n" for path, checksum in sorted(set(files)))


def pairs(owned: Manifest) -> Iterable[tuple[str, str]]:
    """(path, checksum) of a manifest."""
    return ((path, checksum) for path, checksums in owned.items() for checksum in checksums)
