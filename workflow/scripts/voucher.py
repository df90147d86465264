"""Who vouches for records: a small file beside them, one for each release of a host.

Without the file they are this project's own. `run.sh take` writes it, and the database reads it
(column `host.vouched_by`).
"""

import os
from pathlib import Path

import durable

FILE = "vouched-by"
OWN = "own"
COMMUNITY = "community"
RUNNER = "hosted runner"
WORDS = (COMMUNITY, RUNNER)
# longer than any of the words
_MOST_BYTES = 100


def of(runs: Path, host: str, release: str) -> str:
    """Who vouches for the records of a release of a host; a word that is not known is community."""
    label = runs / host / release / FILE
    try:
        with label.open("rb") as file:
            word = file.read(_MOST_BYTES).decode("utf-8", "replace").strip()
    except (OSError, ValueError):
        # also a link that leads nowhere is a label
        return COMMUNITY if os.path.lexists(label) else OWN
    return word if word in WORDS else COMMUNITY


def write(runs: Path, host: str, release: str, word: str) -> None:
    """Say who vouches for the records of a release of a host: all of the word, or nothing."""
    durable.write(runs / host / release / FILE, f"{word}\n", synced=True)
