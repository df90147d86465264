"""Imports records sent by a host: checked as untrusted, and never overwriting a record.

A record is written to its path atomically; a killed coordinator imports it again.
"""

import json
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import durable
import personal
from contribution import plausible
from database import records
from fleet.tasks import sum_of
from places import CORE, SCHEMA
from record import DamageError, is_cell_id, parse, paths, read
from record_files import content, link_on_the_way
from study import superseding
from study.records import last_result

# concurrent syncs, which a file system combines
SYNCS = 16


@dataclass(frozen=True)
class Sent:
    """A record sent by a host: host, id of the cell, bytes of the file."""

    host: str
    cell: str
    content: bytes


@dataclass(frozen=True)
class Refusal:
    """A refused record with the reason."""

    host: str
    cell: str
    reason: str


class Archive:
    """`data/runs` on the coordinator."""

    def __init__(self, runs: Path):
        self.runs = runs

    def sums(self, host: str) -> dict[str, str]:
        """Cell -> checksum of the file of its last result, for every cell of a host with a record
        on the coordinator."""
        found = {}
        for path in paths(self.runs / host):
            cell = path.relative_to(self.runs).with_suffix("").as_posix()
            with suppress(DamageError):  # it differs from the host's
                found[cell] = sum_of(content(last_result(path, self.runs), self.runs))
        return found

    def file(self, sent: Iterable[Sent]) -> tuple[list[Sent], list[Refusal]]:
        """File and sync acceptable records; returns the others with reasons."""
        refused = []
        # by the file that it is judged in: many a disk does not tell `fresh` from `Fresh`
        welcome: dict[str, Sent] = {}
        for one in sent:
            reason = _misnamed(one) or self._astray(one)
            if reason is None and one.cell.lower() in welcome:
                reason = "another record of its name was sent at the same time"
            if reason:
                refused.append(Refusal(one.host, records.as_text(one.cell), reason))
            else:
                welcome[one.cell.lower()] = one
        texts, reasons = _judged([*welcome.values()])
        filed: list[Sent] = []

        def reason_of(one: Sent) -> str | None:
            if one.cell not in texts:
                return reasons[one.cell]
            return next(_against(texts[one.cell]), None) or self._take(one)

        with ThreadPoolExecutor(SYNCS) as threads:
            reasons_of = threads.map(reason_of, welcome.values())
            for one, reason in zip(welcome.values(), reasons_of, strict=True):
                if reason:
                    refused.append(Refusal(one.host, one.cell, reason))
                else:
                    filed.append(one)
        return filed, refused

    def _astray(self, one: Sent) -> str | None:
        """Why a record's path is unusable."""
        if link := link_on_the_way(self.runs, one.cell):
            return f"{link} is a link: replace it with a folder"
        final = self.runs / f"{one.cell}.json"
        return f"{final} is a link: remove it" if final.is_symlink() else None

    def _take(self, one: Sent) -> str | None:
        """Write a record to its path; returns a reason if a newer one is there."""
        final = self.runs / f"{one.cell}.json"
        if final.exists():
            try:
                if content(final) == one.content:
                    return None
            except DamageError:
                return "its place is taken by what is no record"
            if not _is_newer(one, final):
                return "another record of this cell is here, and was measured later"
            superseding.replace(final, one.content)
            return None
        try:
            durable.write(final, one.content, synced=True, replaces=False)
        except FileExistsError:
            return "another record of this cell arrived at the same moment"
        return None


def _misnamed(one: Sent) -> str | None:
    if one.cell.split("/")[0] != one.host:
        return "it is not a record of this host"
    return None if is_cell_id(one.cell) else "its name is not that of a cell"


def _judged(sent: list[Sent]) -> tuple[dict[str, str], dict[str, str]]:
    """Cell -> text of each intact record, and cell -> fault of each other one."""
    with tempfile.TemporaryDirectory() as made:
        inbox = Path(made)
        for one in sent:
            path = inbox / f"{one.cell}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                path.write_bytes(one.content)
            except OSError as error:
                error.filename = made  # a full disk is that of temporary files
                raise
        accepted, damaged = records.read(inbox, SCHEMA, [f"{one.cell}.json" for one in sent], CORE)
    # without the advice, which is about a local file: this file is on the host
    reasons = {one.path.removesuffix(".json"): one.what for one in damaged}
    return {one.cell: one.text for one in accepted}, reasons


def _against(text: str) -> Iterator[str]:
    """The problems of an intact record."""
    record = json.loads(text)
    yield from plausible.impossible(record)
    for what, found in personal.found(record):
        yield f"it holds {what}: {found}"


def _is_newer(one: Sent, here: Path) -> bool:
    try:
        before = read(here)
        return parse(one.content.decode("utf-8"))["started_utc"] >= before["started_utc"]
    except (DamageError, KeyError, UnicodeDecodeError):
        return True  # the local file is no valid record any more
