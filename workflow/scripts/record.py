"""Shared knowledge about a record's file: its path, its version, its checksum.

The schema of its content is workflow/schemas/record.schema.json.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from record_files import SUPERSEDED as SUPERSEDED
from record_files import DamageError, content
from record_files import paths as paths

RUNS = Path("data/runs")

# the folders of a record's path, each a slug or several joined by `-`
# (core/diskbench-core/src/cell.rs, SLUG)
FOLDERS = 7
PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")

# The newest supported version of the record. New keys are optional, so that older records load; the
# version increases only if older records could not be read any more.
RECORD_VERSION = 1

# The epoch of this workflow's core (core/diskbench-core/src/record.rs, HARNESS_EPOCH): figures of
# an older epoch are never compared with newer ones.
HARNESS_EPOCH = 4

# DuckDB's BIGINT
LARGEST_INTEGER = 2**63 - 1


class NewerError(DamageError):
    """A record of a newer version than this diskbench supports."""

    kind = "newer"
    advice = "update diskbench, then run again; until then it is kept, and is in no table"


def cell_id(cell: dict[str, Any]) -> str:
    """The id of a cell: its record's path below the runs folder, without suffix."""
    return (
        f"{cell['host']}/{cell['release']}/{cell['protocol']}-{cell['scale']}/{cell['storage']}/"
        f"{cell['driver']}/{variant(cell)}/{cell['repeat']}/{cell['phase']}"
    )


def variant(cell: dict[str, Any]) -> str:
    """The kind of image: `UDSB-AES-256`, or with unusual bands `UDSB-none-bands-1048576`."""
    asked = (("bands", cell.get("band_bytes")), ("blocks", cell.get("block_bytes")))
    odd = "".join(f"-{what}-{size}" for what, size in asked if size)
    return f"{cell['format']}-{cell['encryption']}{odd}"


def path_of(cell: dict[str, Any]) -> str:
    """The path of a cell's record below the runs folder."""
    return f"{cell_id(cell)}.json"


def is_smoke(path: str) -> bool:
    """Whether this is the path below the runs folder of a record of scale smoke."""
    return any(folder.endswith("-smoke") for folder in path.split("/")[2:3])


def is_cell_id(name: str) -> bool:
    """Whether this is a valid cell id, and so a safe path below the runs folder.

    The name of a superseded record is none: nobody reads and checks what has it.
    """
    parts = name.split("/")
    well_formed = len(parts) == FOLDERS + 1 and all(PLAIN.fullmatch(part) for part in parts)
    return well_formed and SUPERSEDED not in name


def read(path: Path, root: Path | None = None) -> dict[str, Any]:
    """An intact record: JSON with a correct checksum. Raises DamageError.

    The file is read with `record_files.content`.
    """
    record = parse(text(path, root))
    refuse_newer(record)
    if not isinstance(record, dict) or "sha256" not in record:
        raise DamageError("not a record: it has no checksum")
    if record["sha256"] != checksum(record):
        raise DamageError("its checksum does not match its content")
    return record


def refuse_newer(record: Any) -> None:
    """Raise NewerError for a record of a newer version."""
    version = record.get("record_version") if isinstance(record, dict) else None
    if isinstance(version, int) and version > RECORD_VERSION:
        raise NewerError(newer_words(version))


def newer_words(version: int) -> str:
    """The message about a record of a newer version."""
    return f"it was written by a newer diskbench (record_version {version})"


def text(path: Path, root: Path | None = None) -> str:
    """The text of a record's file, read with `record_files.content`. Raises DamageError."""
    try:
        return content(path, root).decode("utf-8")
    except UnicodeDecodeError as error:
        raise DamageError("not UTF-8 text") from error


def parse(text: str) -> Any:
    """A record's text as Python values; only integers that fit a column are allowed as numbers."""
    try:
        return json.loads(
            text,
            parse_int=_integer,
            parse_float=_no_float,
            parse_constant=_no_float,
            object_pairs_hook=_once,
        )
    except (ValueError, RecursionError) as error:
        raise DamageError(f"not valid JSON ({first_line(error)})") from error


def checksum(record: dict[str, Any]) -> str:
    """SHA-256 of the record without its `sha256`: keys sorted, no spaces, UTF-8.

    Raises DamageError for a text that UTF-8 cannot encode (unpaired surrogate, as `\\ud800`).
    """
    signed = {key: value for key, value in record.items() if key != "sha256"}
    try:
        canonical = json.dumps(signed, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(canonical.encode("utf-8")).hexdigest()
    except RecursionError as error:
        raise DamageError("it is nested too deeply") from error
    except UnicodeEncodeError as error:
        raise DamageError("it contains half of a character, which is not text") from error


def first_line(error: Exception) -> str:
    """The first line of an error's text, shortened."""
    return shorten(str(error).partition("\n")[0])


def shorten(words: str, limit: int = 160) -> str:
    """A text on one line, truncated to the limit."""
    line = " ".join(words.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _integer(digits: str) -> int:
    value = int(digits)
    if digits == "-0":
        raise ValueError("-0 is not an integer")
    if abs(value) > LARGEST_INTEGER:
        raise ValueError(f"{shorten(digits)} is too large")
    return value


def _no_float(digits: str) -> None:
    raise ValueError(f"{shorten(digits)} is not an integer")
