"""Setting aside a record whose cell is measured again: nothing that was measured is deleted."""

import hashlib
from pathlib import Path

from record import SUPERSEDED
from study.records import read


def set_aside(path: Path) -> Path | None:
    """Rename a record to `<phase>.superseded-<first 8 hex digits of its checksum>.json`.

    Returns the new path, or None when there was no record.
    """
    if not path.exists():
        return None
    record = read(path) or {}
    checksum = record.get("sha256") or hashlib.sha256(path.read_bytes()).hexdigest()
    aside = path.with_name(f"{path.stem}{SUPERSEDED}{checksum[:8]}.json")
    return path.rename(aside)
