"""The state of Snakemake's own folder before a call: nothing a killed one left is in its way.

Locks are not taken (the launcher holds its own), and marks of unfinished steps mean that those are
made anew. What is left are the cases below.
"""

import json
import shutil
from pathlib import Path

FOLDER = Path(".snakemake")


def see_to(folder: Path = FOLDER) -> None:
    """Remove what Snakemake would stumble over: its own memory, and none of it data."""
    # copies of outputs, into which the next copy fails; no rule needs any, but older versions' did
    shutil.rmtree(folder / "backups", ignore_errors=True)
    # says that its memory is being converted from that of Snakemake 7
    (folder / "incomplete" / "migration_underway").unlink(missing_ok=True)
    for note in (folder / "metadata").rglob("*"):
        if note.is_file() and not _is_whole(note):
            note.unlink()


def _is_whole(note: Path) -> bool:
    """Notes are not written atomically; a step without one is judged by the times of its files."""
    try:
        return isinstance(json.loads(note.read_text(encoding="utf-8")), dict)
    except (OSError, ValueError):
        return False
