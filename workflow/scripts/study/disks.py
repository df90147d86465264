"""Checks that each storage is still on the disk that it was planned on.

After an external disk is disconnected, its mount point may remain as an ordinary folder: files
written there would go to another disk, and be recorded for the first.
"""

import json
from pathlib import Path

from console import ExitCode, StudyError


def note(folders: dict[str, str], noted: Path) -> None:
    """Save the disk of each storage's folder (by slug) in the file `noted`.

    A missing folder has none: the core refuses it only if something is to be measured on it.
    """
    devices = {
        slug: Path(folder).stat().st_dev
        for slug, folder in folders.items()
        if Path(folder).exists()
    }
    noted.write_text(json.dumps(devices), encoding="utf-8")


def check(slug: str, folder: str, noted: Path) -> None:
    """Raise StudyError (folder unusable) if a storage's folder is now on another disk."""
    devices = json.loads(noted.read_text(encoding="utf-8"))
    try:
        there = Path(folder).stat().st_dev == devices.get(slug)
    except OSError:
        there = False
    if not there:
        raise StudyError(
            ExitCode.FOLDER_UNUSABLE,
            f"the disk of storage {slug} was disconnected, or another one is mounted at {folder}: "
            "connect it, then run again",
        )
