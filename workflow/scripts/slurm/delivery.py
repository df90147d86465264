"""Records on their way between home (the login node's `data/runs`) and a node.

Home is what counts. A node is given the records of its host that are at home, so that it measures
only what is missing, and keeps none: what it measured is copied home, read back, and only then
removed. Nothing at home is ever overwritten.
"""

import io
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import record
from durable import sync
from record import SUPERSEDED, DamageError
from record_files import content, everything, link_on_the_way
from study import superseding


@dataclass
class Delivered:
    """What became of a node's records: names below the runs folder.

    brought: new at home. kept: left on the node, each with the reason.
    """

    brought: list[str] = field(default_factory=list)
    kept: list[tuple[str, str]] = field(default_factory=list)


def send(home: Path, node: Path, host: str) -> None:
    """Give the node's checkout the records of its host; what it still has is left as it is."""
    for name in _records(home, host):
        if not (node / name).exists() and not link_on_the_way(node, name):
            (node / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(home / name, node / name)


def bring(node: Path, home: Path, host: str) -> Delivered:
    """Bring the records of a node's host home, and take them away there."""
    delivered = Delivered()
    # those set aside come last: the newer record of their cell is what sets them aside at home
    for name in sorted(_records(node, host), key=lambda one: (SUPERSEDED in one, one)):
        if link := link_on_the_way(home, name):
            delivered.kept.append((name, f"{link} is a link: put a folder in its place"))
            continue
        try:
            reason = _put(node / name, home / name, delivered.brought, name)
        except DamageError as damage:
            reason = str(damage)
        if reason:
            delivered.kept.append((name, reason))
        else:
            (node / name).unlink()
    _remove_empty(node / host)
    return delivered


def _records(runs: Path, host: str) -> list[str]:
    """Everything that is or was a record, not what is half-written (hidden)."""
    names = (f"{host}/{name}" for name in everything(runs / host))
    return sorted(
        name for name in names if name.endswith(".json") and not Path(name).name.startswith(".")
    )


def _put(source: Path, target: Path, brought: list[str], name: str) -> str | None:
    """Copy one file home, whole; else the reason why not."""
    if _is_there(source, target):
        return None
    replaces = _replaced(source, target)
    if target.exists() and not replaces:
        return "another record of this cell is at home"
    try:
        record.read(source)
    except DamageError as damage:
        return str(damage)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.partial")
    try:
        with partial.open("wb") as written:
            shutil.copyfileobj(io.BytesIO(content(source)), written)
            written.flush()
            os.fsync(written.fileno())
        shutil.copystat(source, partial)
        record.read(partial)
        if replaces:
            superseding.replace(partial, target)
        else:
            # unlike a rename, a link never replaces what is there by now
            os.link(partial, target)
    except DamageError as damage:
        return f"what was copied home is not what is here ({damage})"
    except FileExistsError:
        return None if _same(source, target) else "another record of this cell is at home"
    finally:
        partial.unlink(missing_ok=True)
    sync(target.parent)
    brought.append(name)
    return None


def _is_there(source: Path, target: Path) -> bool:
    """Whether home has it: under its name or, when it was set aside, under any of its cell."""
    cell, aside, _ = target.name.partition(SUPERSEDED)
    others = target.parent.glob(f"{cell}*.json") if aside else ()
    return any(one.is_file() and _same(source, one) for one in (target, *others))


def _replaced(source: Path, target: Path) -> bool:
    """Whether the record that is at home is the one that the node set aside for this one."""
    asides = source.parent.glob(f"{source.stem}{SUPERSEDED}*.json")
    return target.is_file() and any(_same(one, target) for one in asides if one.is_file())


def _same(one: Path, other: Path) -> bool:
    return content(one) == content(other)


def _remove_empty(folder: Path) -> None:
    below = (path for path in folder.rglob("*") if path.is_dir())
    for path in [*sorted(below, reverse=True), folder]:
        with suppress(OSError):
            path.rmdir()
