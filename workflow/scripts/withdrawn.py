"""Withdrawn records: `data/withdrawn.csv` names the path and the file of each, with day and reason.

Such a record may stay in its folder. It is in no table, its cell is measured again, and nobody's
archive brings it back.
"""

import hashlib
import re
from pathlib import Path

from database.published import Row, csv_file
from database.published.checks import day, some_text
from record import RUNS, is_cell_id
from record_files import DamageError, content, superseded

FILE = Path("data/withdrawn.csv")


def _record(text: str, _row: Row) -> str | None:
    is_one = text.endswith(".json") and is_cell_id(text.removesuffix(".json"))
    return None if is_one else f"is not the path of a record below {RUNS}"


def _sha256(text: str, _row: Row) -> str | None:
    return None if re.fullmatch(r"[0-9a-f]{64}", text) else "is not the SHA-256 of a file"


COLUMNS = {"record": _record, "sha256": _sha256, "day": day, "reason": some_text}


def read(file: Path = FILE) -> list[Row]:
    """The lines of the file, if there is one. Raises StudyError with the line to correct."""
    return csv_file.read(file, COLUMNS, ("record", "sha256")) if file.exists() else []


def key(name: str, content: bytes) -> tuple[str, str]:
    """What identifies a record in the file: its path below the runs folder, and a hash."""
    return name, hashlib.sha256(content).hexdigest()


def reasons(file: Path = FILE) -> dict[tuple[str, str], str]:
    """The key of each withdrawn record, with the reason."""
    return {(line["record"], line["sha256"]): line["reason"] for line in read(file)}


def below(runs: Path, file: Path = FILE) -> set[str]:
    """The paths of the withdrawn records that are in a folder of records."""
    return {name for name, digest in reasons(file) if _digest(runs / name, runs) == digest}


def without_effect(runs: Path, file: Path = FILE) -> list[str]:
    """The paths of records that count although a line names them, since it has another hash.

    If the withdrawn file is kept beside the record, the cell was measured again.
    """
    return [
        name
        for name, digest in reasons(file)
        if _digest(runs / name, runs) not in (None, digest)
        and not any(_digest(aside, runs) == digest for aside in superseded(runs / name))
    ]


def _digest(path: Path, runs: Path) -> str | None:
    try:
        return hashlib.sha256(content(path, runs)).hexdigest()
    except DamageError:
        return None
