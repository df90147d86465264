"""The records that are already there: which cells are done, and how fast this host was."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SUPERSEDED = ".superseded-"


def read(path: Path) -> dict[str, Any] | None:
    """A record as it stands, or None when it is missing or cannot be read as one."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) and "cell" in record and "status" in record else None


def on_disk(runs: Path) -> list[Path]:
    """Every record below the runs folder, sorted; older ones that were set aside do not count."""
    return sorted(path for path in runs.rglob("*.json") if SUPERSEDED not in path.name)


def must_measure(path: Path, cell: dict[str, Any], retry: list[str]) -> bool:
    """Whether a cell is still to be measured.

    It is when there is no record, when the record's cell had other parameters, or when the record's
    status is one
    that the user wants again. A damaged record is left alone: it may be all that is left of a long
    run, so it is
    reported and not overwritten.
    """
    if not path.exists():
        return True
    record = read(path)
    if record is None:
        return False
    return record["cell"] != cell or record["status"] in retry


def rate_bytes_per_second(runs: Path, host: str) -> int | None:
    """Bytes over time of everything measured on this host so far; None when nothing was."""
    size_bytes = elapsed_ns = 0
    for sample in _samples(runs / host):
        size_bytes += sample["size_bytes"]
        elapsed_ns += sample["elapsed_ns"]
    return size_bytes * 1_000_000_000 // elapsed_ns if elapsed_ns else None


def _samples(folder: Path) -> Iterator[dict[str, Any]]:
    for path in on_disk(folder):
        yield from (read(path) or {}).get("samples", [])
