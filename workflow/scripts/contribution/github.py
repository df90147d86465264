"""The GitHub repositories of this clone and of the project, as owner/name."""

import re
from pathlib import Path

from places import git

# In the forms that git knows.
_ADDRESS = re.compile(r"(?:https://|ssh://git@|git@)github\.com[/:]([\w.-]+/[\w.-]+?)(?:\.git)?/?")
_KEPT = re.compile(r'^repository-code: *"?([^"\s]+)"?$', re.MULTILINE)
_CITATION = Path("CITATION.cff")


def origin() -> str | None:
    """The repository of git's remote `origin`."""
    return _name(git("remote", "get-url", "origin"))


def project() -> str | None:
    """The repository in CITATION.cff, independent of this clone."""
    try:
        found = _KEPT.search(_CITATION.read_text(encoding="utf-8"))
    except OSError:
        return None
    return _name(found[1]) if found else None


def _name(address: str) -> str | None:
    found = _ADDRESS.fullmatch(address)
    return found[1] if found else None
