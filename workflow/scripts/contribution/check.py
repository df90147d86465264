"""Checks every record of a folder before it is imported."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import personal
import voucher
import withdrawn
from console import ExitCode, StudyError
from contribution import plausible
from database import records
from places import CORE, SCHEMA
from record import HARNESS_EPOCH, RUNS, DamageError, is_smoke, parse, path_of, paths, read
from record import text as read_text
from record_files import content, everything, link_on_the_way, superseded
from study.machine import FACTS, STAND_IN_PREFIX

Record = dict[str, Any]
# path of a record, its start and its end
Time = tuple[str, datetime, datetime]

# kind of finding -> what to do about it
ADVICE = {
    "damaged": "ask for the file again; an edited file cannot be repaired",
    "newer": "update diskbench, then run again: it may be undamaged",
    "misplaced": "put it where it belongs, with the folders that it came with",
    "synthetic": "leave it out: it is not a measurement",
    "smoke": "leave it out: smoke scale only tests the software",
    "impossible": "leave it out, and ask where it comes from: no machine can have measured it",
    "overlapping": "leave both out: one machine measures one cell at a time; where they are two "
    "machines of one name, measure one of them again with --config host=<another name>",
    "personal": "ask for a new measurement without it, and do not publish this file",
    "here already": "leave it out: the same record is in data/runs",
    "cell taken": "another record of this cell is in data/runs and stays: restore that one; where "
    "this is another machine, measure it again with --config host=<another name>",
    "another sender": "ask that it be measured under another host name (--config host=<another "
    "name>): two Macs of one model are two machines. Where it is the same Mac, and its sender's "
    "mark was lost, `take --same-mac` imports it",
    "another label": "ask that it be measured under another host name (--config host=<another "
    "name>): records of one release have one label",
    "withdrawn": "leave it out: data/withdrawn.csv lists it",
    "no place": "move what is named out of its way; where another machine's name differs by case "
    "alone, measure it again with --config host=<another name>",
    "no record": "leave it out: it would be copied with the rest, unchecked",
    "correction": "acceptable: the record of this cell in data/runs failed, was skipped, was "
    "withdrawn, or is of an older epoch",
    "doubtful": "acceptable; was the machine busy while diskbench measured its memory?",
}
# findings that do not reject a record
DOUBTS = {"no record", "correction", "doubtful"}


@dataclass(frozen=True)
class Finding:
    """A problem of a record: kind (a key of `ADVICE`), file, and description."""

    kind: str
    path: str
    what: str


@dataclass
class Report:
    """The findings in a folder; `place` is the folder of runs that paths are relative to."""

    folder: Path
    place: Path
    records: int = 0
    hosts: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)

    @property
    def bad(self) -> set[str]:
        """The records with a problem that is more than a doubt."""
        return {finding.path for finding in self.findings if finding.kind not in DOUBTS}

    def add(self, kind: str, path: str, what: str) -> None:
        """Add a finding."""
        self.findings.append(Finding(kind, path, what))


def check(
    folder: Path,
    runs: Path = RUNS,
    label: voucher.Label | None = None,
    *,
    same_mac: bool = False,
) -> Report:
    """Check whether these records can be imported into `runs`.

    `label`: what they will be labelled; without it, the labels in the folder count.
    `same_mac`: records of the same host in `runs` are known to be of the same machine.
    """
    if not folder.is_dir():
        raise StudyError(
            ExitCode.BAD_INPUT, f"there is no folder {folder}: name the one with the records"
        )
    folder = folder.resolve()
    place = place_of(folder)
    if folder in place.parents:
        folder = place
    elif place in folder.parents:
        # the whole host, since all of it will be copied
        folder = place / folder.relative_to(place).parts[0]
    files = [path.relative_to(place).as_posix() for path in paths(folder)]
    if not any(_may_be_record(place / name) for name in files):
        raise StudyError(
            ExitCode.BAD_INPUT,
            f"there is no record in {folder}: name the folder of a host, or of several, as "
            "diskbench left them in data/runs",
        )
    report = Report(folder, place, len(files))
    accepted, refused = records.read(place, SCHEMA, files, CORE)
    for one in refused:
        report.add(one.kind, one.path, one.what)
    times: dict[str, list[Time]] = {}
    beside_runs = _Beside(runs, place, label, same_mac)
    left_out = withdrawn.reasons()
    for one in accepted:
        record, path = parse(one.text), f"{one.cell}.json"
        cell = record["cell"]
        report.hosts.add(cell["host"])
        if why := left_out.get(withdrawn.key(path, one.text.encode())):
            report.add("withdrawn", path, why)
            continue
        for kind, what in _of_one(record):
            report.add(kind, path, what)
        times.setdefault(cell["host"], []).extend(_time(record, path))
        for kind, what in beside_runs.found(record, path):
            report.add(kind, path, what)
    for host, of_host in times.items():
        here = _measured_here(runs, host, set(files))
        beside: dict[str, str] = {}
        for earlier, later in plausible.overlaps(of_host + here):
            beside.setdefault(earlier, later)
            beside.setdefault(later, earlier)
        for path in sorted(beside.keys() - {one[0] for one in here}):
            other = beside[path]
            report.add("overlapping", path, f"measured at the same time as {other}")
    for path in _others(report, set(files)):
        report.add("no record", path, "neither a record nor a label that says community")
    return report


def _time(record: Record, path: str) -> Iterator[Time]:
    if record["cell"]["protocol"] != "restart":  # other cells are measured between its two parts
        began, ended = plausible.time(record["started_utc"]), plausible.time(record["finished_utc"])
        yield path, began, ended


def _measured_here(runs: Path, host: str, asked: set[str]) -> list[Time]:
    """The times of the host's other cells in `runs`."""
    found: list[Time] = []
    for here in paths(runs / host):
        if here.relative_to(runs).as_posix() not in asked:
            try:
                found.extend(_time(read(here, runs), str(here)))
            except (DamageError, KeyError, TypeError, ValueError):
                continue
    return found


def _may_be_record(path: Path) -> bool:
    """Whether a JSON file may be a record; false for intact files without a cell."""
    try:
        made = json.loads(read_text(path))
    except (DamageError, ValueError, RecursionError):
        return True
    return isinstance(made, dict) and "cell" in made


def place_of(folder: Path) -> Path:
    """The folder that the records' paths are relative to: this one, its parent, or one inside."""
    if (folder / RUNS).is_dir():
        return folder / RUNS
    for path in paths(folder):
        try:
            own = path_of(parse(read_text(path))["cell"])
            for place in (folder, *folder.parents):
                if os.path.realpath(place / own) == os.path.realpath(path):
                    return place
        except (DamageError, KeyError, TypeError, ValueError):
            # ValueError: names that no file can have
            continue
    return folder


def _others(report: Report, records: set[str]) -> Iterator[str]:
    """Files beside the records: superseded, unfinished, or of another kind."""
    for below in sorted(everything(report.folder)):
        name = (report.folder / below).relative_to(report.place).as_posix()
        if name not in records and not _is_label(report.place / name, name):
            yield name


def _is_label(path: Path, name: str) -> bool:
    """Whether a file is the label that `take` writes for a release."""
    if name.count("/") != 2 or path.name != voucher.FILE or path.is_symlink():
        return False
    host, release, _ = name.split("/")
    label = voucher.read(path.parents[2], host, release)
    try:
        return label.by == voucher.COMMUNITY and content(path) == label.text().encode()
    except DamageError:
        return False


def _of_one(record: Record) -> Iterator[tuple[str, str]]:
    if why := _made_up(record):
        yield "synthetic", why
    epoch = record["harness"]["epoch"]
    if epoch > HARNESS_EPOCH:
        yield "newer", f"it was measured by a newer diskbench (epoch {epoch})"
    if record["cell"]["scale"] == "smoke":
        yield "smoke", "smoke scale"
    for what in plausible.impossible(record):
        yield "impossible", what
    for what in plausible.doubtful(record):
        yield "doubtful", what
    for what, text in personal.found(record):
        yield "personal", f"{what}: {text}"


def _made_up(record: Record) -> str | None:
    host, cell, harness = record["host"], record["cell"], record["harness"]
    names = " ".join(filter(None, (cell["host"], host["model"], host["chip"]))).lower()
    if host.get("stand_in") or cell["host"].startswith(STAND_IN_PREFIX):
        return "stand-ins replaced the programs of macOS"
    if "made-up" in names or "synthetic" in names:
        return "it is synthetic"
    if harness["name"] != "diskbench-core" or harness["epoch"] < 1:
        return f"no diskbench is {harness['name']} of epoch {harness['epoch']}"
    if cell["driver"] == "apple" and host["os"]["name"] != "macos":
        return f"its driver is that of macOS, and its system {host['os']['name']}"
    return None


class _Beside:
    """Compares records with those of `runs`, which may be read there themselves."""

    def __init__(self, runs: Path, place: Path, label: voucher.Label | None, same_mac: bool):
        self._runs, self._place = runs, place
        self._label, self._same_mac = label, same_mac
        self._withdrawn = withdrawn.below(runs)
        self._of_release: dict[tuple[str, str], tuple[str, str] | None] = {}

    def found(self, record: Record, path: str) -> Iterator[tuple[str, str]]:
        """Why a record cannot be filed there, or that it replaces one."""
        if why := _obstacle(self._runs, path) or _obstacle(self._place, path):
            yield "no place", why
            return
        here = self._runs / path
        is_here = os.path.lexists(here)
        if is_here and os.path.realpath(here) == os.path.realpath(self._place / path):
            return
        try:
            earlier = parse(read_text(here)) if is_here else {}
            same = earlier.get("sha256") == record["sha256"]
            left_out = path in self._withdrawn
            corrects = is_here and is_correction(record, earlier, left_out)
        except (DamageError, AttributeError, KeyError, TypeError):
            yield "no place", f"{here} is not a record"
            return
        if same or (is_here and _was_superseded(here, record)):
            yield "here already", "the very same record"
            return
        release = record["cell"]["host"], record["cell"]["release"]
        if release not in self._of_release:
            self._of_release[release] = self._why_not_of_sender(*release)
        if why := self._of_release[release]:
            yield why
        elif corrects and self._label_of(*release).by != voucher.OWN:
            was = f"{earlier['status']}, epoch {earlier['harness']['epoch']}"
            was += ", withdrawn" if left_out else ""
            yield "correction", f"the record that is here: {was}"
        elif is_here:
            yield "cell taken", "its cell was measured already"

    def _label_of(self, host: str, release: str) -> voucher.Label:
        return self._label or voucher.read(self._place, host, release)

    def _why_not_of_sender(self, host: str, release: str) -> tuple[str, str] | None:
        """Why the host's records in `runs` may be of another machine."""
        label = self._label_of(host, release)
        here = self._runs / host
        if label.by == voucher.OWN or not paths(here):
            return None
        by = voucher.of(self._runs, host, release)
        if by != label.by and paths(here / release):
            why = "another label", f"{here / release} has records that are vouched for as {by}"
        elif self._same_mac or label.sender in voucher.senders(self._runs, host):
            return None
        else:
            why = "another sender", f"{here} has records of another sender"
        if all(is_smoke(path.relative_to(self._runs).as_posix()) for path in paths(here)):
            return "no place", f"{here} has records of scale smoke alone, which are no data"
        return why


def is_correction(record: Record, earlier: Record, is_withdrawn: bool) -> bool:
    """Whether the study would measure the earlier one's cell again on the same machine."""
    again = earlier["status"] != "measured" or is_withdrawn
    older = earlier["harness"]["epoch"] < record["harness"]["epoch"]
    same = all(earlier["host"].get(key) == record["host"].get(key) for key in FACTS)
    return same and (again or older)


def _was_superseded(here: Path, record: Record) -> bool:
    """Whether the same record was replaced there."""
    for aside in superseded(here):
        try:
            if parse(read_text(aside)).get("sha256") == record["sha256"]:
                return True
        except (DamageError, AttributeError):
            continue
    return False


def _obstacle(root: Path, name: str) -> str | None:
    """What blocks the path of a record: a link, a file, or a name that differs only in case."""
    if link := link_on_the_way(root, name):
        return f"{link} is a link"
    folder = root
    for part in Path(name).parts:
        if not folder.exists():
            return None
        if not folder.is_dir():
            return f"{folder} is not a folder"
        for other in [one.name for one in os.scandir(folder)]:
            if other != part and other.lower() == part.lower():
                return f"{folder / other} differs from it by case alone"
        folder /= part
    return None
