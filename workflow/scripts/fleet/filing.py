"""Taking records in that a host sent: looked at as anybody's, and never over what is here.

A record is written beside its place, synced and linked to it, so that it is there whole or not at
all, and a coordinator that is killed in between takes it in again.
"""

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from contribution import personal, plausible
from database import records
from durable import sync
from fleet.tasks import sum_of
from places import CORE, SCHEMA
from record import DamageError, is_cell_id, parse, paths, read
from record_files import content, link_on_the_way
from study import superseding

INBOX = Path(".diskbench/fleet/inbox")
STAND_IN_PREFIX = "stand-in-"
# At a time: a file system writes what many ask for in one go.
SYNCS = 16


@dataclass(frozen=True)
class Sent:
    """One record as a host sent it: who, the id of the cell, the bytes of its file."""

    host: str
    cell: str
    content: bytes


@dataclass(frozen=True)
class Refusal:
    """A record that was not accepted, and why."""

    host: str
    cell: str
    reason: str


class Archive:
    """`data/runs` on the coordinator."""

    def __init__(self, runs: Path, inbox: Path = INBOX, core: Path | None = CORE):
        self.runs = runs
        self.inbox = inbox
        self.core = core

    def sums(self, host: str) -> dict[str, str]:
        """Cell -> sum of the file, for every record of a host that is here."""
        found = {}
        for name in names_of(host):
            for path in paths(self.runs / name):
                cell = path.relative_to(self.runs).with_suffix("").as_posix()
                with suppress(DamageError):  # it is not what the host has
                    found[cell] = sum_of(content(path, self.runs))
        return found

    def file(self, sent: Iterable[Sent]) -> tuple[list[Sent], list[Refusal]]:
        """File what can be: those are on the disk when this returns. The others, and why not."""
        refused = []
        welcome = []
        for one in sent:
            if reason := _misnamed(one) or self._astray(one):
                refused.append(Refusal(one.host, records.as_text(one.cell), reason))
            else:
                welcome.append(one)
        for one in welcome:
            path = self._waiting(one)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(one.content)
        files = [f"{one.cell}.json" for one in welcome]
        accepted, damaged = records.read(self.inbox, SCHEMA, files, self.core)
        texts = {one.cell: one.text for one in accepted}
        # without the advice, which is to mend a file here: the file is the host's
        reasons = {one.path: one.what for one in damaged}
        _sync_all({self._waiting(one) for one in accepted})
        filed: list[Sent] = []
        folders: set[Path] = set()
        for one in welcome:
            text = texts.get(one.cell)
            reason = (
                reasons.get(f"{one.cell}.json", "it cannot be read")
                if text is None
                else next(_against(text), None) or self._take(one, folders)
            )
            if reason:
                refused.append(Refusal(one.host, one.cell, reason))
            else:
                filed.append(one)
        _sync_all(folders)
        for one in welcome:
            self._waiting(one).unlink(missing_ok=True)
        return filed, refused

    def close(self) -> None:
        """Take the empty folders of the inbox away."""
        shutil.rmtree(self.inbox, ignore_errors=True)

    def _astray(self, one: Sent) -> str | None:
        """Why it would not come to lie where its name says."""
        for root in (self.inbox, self.runs):
            if link := link_on_the_way(root, one.cell):
                return f"{link} is a link: replace it with a folder"
            if (root / f"{one.cell}.json").is_symlink():
                return f"{root / one.cell}.json is a link: remove it"
        return None

    def _waiting(self, one: Sent | records.Record) -> Path:
        return self.inbox / f"{one.cell}.json"

    def _take(self, one: Sent, folders: set[Path]) -> str | None:
        """Put it where it belongs; why not, when something newer lies there.

        Adds the folders that have something new to `folders`.
        """
        final = self.runs / f"{one.cell}.json"
        folder = final.parent
        folders.add(folder)
        while not folder.is_dir():
            folder = folder.parent
            folders.add(folder)
        final.parent.mkdir(parents=True, exist_ok=True)
        if final.exists():
            try:
                if content(final) == one.content:
                    return None
            except DamageError:
                return "its place is taken by what is no record"
            if not _is_newer(one, final):
                return "another record of this cell is here, and was measured later"
            superseding.replace(self._waiting(one), final)
            return None
        try:
            # unlike a rename it never takes the place of a file that came there meanwhile
            os.link(self._waiting(one), final)
        except FileExistsError:
            return "another record of this cell arrived at the same moment"
        return None


def names_of(host: str) -> tuple[str, str]:
    """The names that a host's records may carry: its own, and in tests one that says so."""
    return host, STAND_IN_PREFIX + host


def _misnamed(one: Sent) -> str | None:
    if one.cell.split("/")[0] not in names_of(one.host):
        return "it is not a record of this host"
    return None if is_cell_id(one.cell) else "its name is not that of a cell"


def _against(text: str) -> Iterator[str]:
    """What speaks against a record that is whole, and so needs no second look at its numbers."""
    record = json.loads(text)
    yield from plausible.impossible(record)
    for what, found in personal.found(record):
        yield f"it holds {what}: {found}"


def _is_newer(one: Sent, here: Path) -> bool:
    try:
        before = read(here)
        return parse(one.content.decode("utf-8"))["started_utc"] >= before["started_utc"]
    except (DamageError, KeyError, UnicodeDecodeError):
        return True  # what is here is no record any more


def _sync_all(paths: set[Path]) -> None:
    """Have files and folders on the disk; many at a time, as a file system syncs them together."""
    with ThreadPoolExecutor(SYNCS) as threads:
        list(threads.map(sync, sorted(paths)))
