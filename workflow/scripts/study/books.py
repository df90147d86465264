"""The state of Snakemake's own folder before a call: nothing a killed one left is in its way.

Locks are not taken (the launcher holds its own), and marks of unfinished steps mean that those are
made anew. What is left are its notes about the steps before.
"""

import json
from pathlib import Path

FOLDER = Path(".snakemake")


def see_to(folder: Path = FOLDER) -> None:
    """Remove the notes that were cut: its own memory, and none of it data."""
    for note in (folder / "metadata").rglob("*"):
        if note.is_file() and not _is_whole(note):
            note.unlink()


def _is_whole(note: Path) -> bool:
    """Notes are not written atomically; a step without one is judged by the times of its files."""
    try:
        return isinstance(json.loads(note.read_text(encoding="utf-8")), dict)
    except (OSError, ValueError):
        return False
