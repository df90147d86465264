"""A record that takes the place of an older one: at every instant exactly one of them is active.

The core does the same for what it measures (core/diskbench-core/src/record/store.rs).
"""

import hashlib
import os
from pathlib import Path

import durable
from durable import sync
from record import SUPERSEDED
from study.records import read


def replace(new: Path, record: Path) -> Path:
    """Put `new` in the place of a record, which stands beside it then; gives where.

    The older one keeps its name too until the new one takes that over, and nothing else is ever
    overwritten. `new` is synced, and in the same file system.
    """
    aside = _free_name(record)
    if not aside.exists():
        try:
            os.link(record, aside)
        except OSError:  # a file system without hard links, such as exFAT
            durable.write(aside, record.read_bytes(), synced=True)
        else:
            sync(record.parent)
    new.replace(record)
    sync(record.parent)
    return aside


def _free_name(record: Path) -> Path:
    """`<phase>.superseded-<first 8 hex digits of its checksum>.json`, or with more digits where
    that is taken by something else."""
    content = record.read_bytes()
    checksum = (read(record, record.parent) or {}).get("sha256") or hashlib.sha256(
        content
    ).hexdigest()
    for digits in range(8, len(checksum) + 1):
        aside = record.with_name(f"{record.stem}{SUPERSEDED}{checksum[:digits]}.json")
        if not aside.exists() or aside.read_bytes() == content:
            break
    return aside
