"""Who vouches for records, and who sent them: a small file beside them for each release of a host.

Without it the records are this project's own. `run.sh take` writes it, and the database reads its
first line (column `host.vouched_by`). The second is the SHA-256 of the sender's mark: a random
number that tells senders apart and says nothing of them. Hosts are named after their models, so
two people's Macs may have one name; everybody who has a clone has the records that are here.
"""

import hashlib
import os
import re
import secrets
from pathlib import Path
from typing import NamedTuple

import durable

FILE = "vouched-by"
OWN = "own"
COMMUNITY = "community"
RUNNER = "hosted runner"
WORDS = (COMMUNITY, RUNNER)
# longer than any valid label
_MOST_BYTES = 200
_LABEL = re.compile(rf"({'|'.join(WORDS)})(?:\n([0-9a-f]{{64}}))?")

# one's own mark; `submit` makes it
OWN_MARK = Path(".diskbench/sender")
MARK = re.compile(r"[0-9a-f]{32}\n")


class Label(NamedTuple):
    """Who vouches for the records of a release, and the hash of their sender's mark, if known."""

    by: str
    sender: str | None = None

    def text(self) -> str:
        """The content of its file."""
        return "".join(f"{line}\n" for line in self if line)


def read(runs: Path, host: str, release: str) -> Label:
    """The label of a host's release; an unknown text counts as community."""
    label = runs / host / release / FILE
    try:
        with label.open("rb") as file:
            text = file.read(_MOST_BYTES).decode("utf-8", "replace").strip()
    except (OSError, ValueError):
        # a broken link counts as a label, too
        return Label(COMMUNITY if os.path.lexists(label) else OWN)
    found = _LABEL.fullmatch(text)
    return Label(*found.groups()) if found else Label(COMMUNITY)


def of(runs: Path, host: str, release: str) -> str:
    """Who vouches for the records of a host's release."""
    return read(runs, host, release).by


def senders(runs: Path, host: str) -> set[str]:
    """The hashes of the marks in the labels of a host's releases."""
    found = {read(runs, host, folder.name).sender for folder in (runs / host).glob("*")}
    return {sender for sender in found if sender}


def write(runs: Path, host: str, release: str, by: str, sender: str | None = None) -> None:
    """Write the label of a host's release, atomically."""
    label = runs / host / release / FILE
    durable.write(label, Label(by, sender).text(), synced=True)


def is_own(runs: Path, host: str, release: str) -> bool:
    """Whether the records of a release are this clone's: without a label, or with its own mark."""
    label = read(runs, host, release)
    if label.by == OWN:
        return True
    mark = own_mark()
    return mark is not None and label.sender == hashed(mark)


def own_mark() -> str | None:
    """This clone's mark, if it has one."""
    try:
        mark = OWN_MARK.read_text(encoding="ascii")
    except (OSError, ValueError):
        return None
    return mark if MARK.fullmatch(mark) else None


def new_mark() -> str:
    """A random mark."""
    return f"{secrets.token_hex(16)}\n"


def hashed(mark: str) -> str:
    """The hash of a mark as labels have it: that of its file."""
    return hashlib.sha256(mark.encode()).hexdigest()
