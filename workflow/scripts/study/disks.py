"""Whether each storage still is on the disk that it was planned on.

Where a volume was mounted, an ordinary folder may be left when it is pulled away: what is written
there then goes to another disk, and would be recorded as that of the first.
"""

import json
from pathlib import Path

from console import ExitCode, StudyError


def note(folders: dict[str, str], noted: Path) -> None:
    """Write down which disk each storage's folder (by its slug) is on; `noted` is the file.

    A folder that is not there has none: the core refuses it where something is to be measured on
    it, and where nothing is, its drive may lie in a drawer.
    """
    devices = {
        slug: Path(folder).stat().st_dev
        for slug, folder in folders.items()
        if Path(folder).exists()
    }
    noted.write_text(json.dumps(devices), encoding="utf-8")


def check(slug: str, folder: str, noted: Path) -> None:
    """Raise StudyError (folder unusable) when a storage's folder is on another disk now."""
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
