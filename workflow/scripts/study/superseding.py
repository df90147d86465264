"""Replaces a record by a newer one; at every instant exactly one of them is active.

The core does the same for its records (core/diskbench-core/src/record/store.rs).
"""

import hashlib
import os
from pathlib import Path
from typing import Any

import durable
from durable import sync
from record import SUPERSEDED, DamageError, checksum, parse


def replace(record: Path, new: bytes) -> Path:
    """Replace a record, and keep the old one beside it; returns the old one's path.

    A failed or skipped result never takes the place of a measured one: it is kept beside that, and
    its path is returned. The old one also keeps its name until the new one takes it, and nothing
    else is ever overwritten.
    """
    old = record.read_bytes()
    if _is_measured(old) and not _is_measured(new):
        aside = _free_name(record, new)
        durable.write(aside, new, synced=True)
        return aside
    aside = _free_name(record, old)
    if not aside.exists():
        try:
            os.link(record, aside)
        except OSError:  # a file system without hard links, such as exFAT
            durable.write(aside, old, synced=True)
        else:
            sync(record.parent)
    durable.write(record, new, synced=True)
    return aside


def _is_measured(content: bytes) -> bool:
    """Whether this is an intact record of a cell that was measured, in any version or epoch."""
    return _intact(content).get("status") == "measured"


def _free_name(record: Path, content: bytes) -> Path:
    """`<phase>.superseded-<first 8 hex digits of its checksum>.json`, with more digits if that
    name exists."""
    digits_of_it = _intact(content).get("sha256") or hashlib.sha256(content).hexdigest()
    for digits in range(8, len(digits_of_it) + 1):
        aside = record.with_name(f"{record.stem}{SUPERSEDED}{digits_of_it[:digits]}.json")
        if not aside.exists() or aside.read_bytes() == content:
            break
    return aside


def _intact(content: bytes) -> dict[str, Any]:
    """The record if its checksum is that of its content, else nothing."""
    try:
        tree = parse(content.decode("utf-8"))
        whole = isinstance(tree, dict) and tree.get("sha256") == checksum(tree)
    except (DamageError, UnicodeDecodeError):
        return {}
    return tree if whole else {}
