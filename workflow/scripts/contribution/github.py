"""The GitHub repository of the project, as owner/name."""

import re
from pathlib import Path

from places import git

# In the forms that git knows.
_ADDRESS = re.compile(r"(?:https://|ssh://git@|git@)github\.com[/:]([\w.-]+/[\w.-]+?)(?:\.git)?/?")
_KEPT = re.compile(r'^repository-code: *"?([^"\s]+)"?$', re.MULTILINE)
_CITATION = Path("CITATION.cff")
# GitHub's `gh` calls what a fork was made from upstream; a new fork has no issues
_REMOTES = ("upstream", "origin")


def repository() -> str | None:
    """The project's, as CITATION.cff names it, else what this fork or clone was made from."""
    kept = _KEPT.findall(_CITATION.read_text(encoding="utf-8")) if _CITATION.exists() else []
    for address in (*kept, *(git("remote", "get-url", name) for name in _REMOTES)):
        if found := _ADDRESS.fullmatch(address):
            return found[1]
    return None
