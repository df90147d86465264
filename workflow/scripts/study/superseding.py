"""Replaces a record by a newer one; at every instant exactly one of them is active.

The core does the same for its records (core/diskbench-core/src/record/store.rs).
"""

import hashlib
import os
from pathlib import Path

import durable
from durable import sync
from record import SUPERSEDED
from study.records import read


def replace(record: Path, new: bytes) -> Path:
    """Replace a record, and keep the old one beside it; returns the old one's path.

    The old one also keeps its name until the new one takes it, and nothing else is ever
    overwritten.
    """
    aside = _free_name(record)
    if not aside.exists():
        try:
            os.link(record, aside)
        except OSError:  # a file system without hard links, such as exFAT
            durable.write(aside, record.read_bytes(), synced=True)
        else:
            sync(record.parent)
    durable.write(record, new, synced=True)
    return aside


def _free_name(record: Path) -> Path:
    """`<phase>.superseded-<first 8 hex digits of its checksum>.json`, with more digits if that
    name exists."""
    content = record.read_bytes()
    checksum = (read(record, record.parent) or {}).get("sha256") or hashlib.sha256(
        content
    ).hexdigest()
    for digits in range(8, len(checksum) + 1):
        aside = record.with_name(f"{record.stem}{SUPERSEDED}{checksum[:digits]}.json")
        if not aside.exists() or aside.read_bytes() == content:
            break
    return aside
