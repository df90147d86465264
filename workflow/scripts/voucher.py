"""Who vouches for records: a small file beside them for each release of a host.

Without it the records are this project's own. `run.sh take` writes it, and the database reads it
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
# longer than any valid word
_MOST_BYTES = 100


def of(runs: Path, host: str, release: str) -> str:
    """Who vouches for the records of a host's release; unknown words count as community."""
    label = runs / host / release / FILE
    try:
        with label.open("rb") as file:
            word = file.read(_MOST_BYTES).decode("utf-8", "replace").strip()
    except (OSError, ValueError):
        # a broken link counts as a label, too
        return COMMUNITY if os.path.lexists(label) else OWN
    return word if word in WORDS else COMMUNITY


def write(runs: Path, host: str, release: str, word: str) -> None:
    """Write who vouches for the records of a host's release, atomically."""
    durable.write(runs / host / release / FILE, f"{word}\n", synced=True)
