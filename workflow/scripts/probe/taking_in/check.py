"""Checks reports, which are untrusted input."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jsonschema_rs

import personal
import record_files
from console import ExitCode, StudyError
from probe import report
from probe.bench import Observation
from probe.cleaning import Cleaner
from record import DamageError, parse

SCHEMA = Path(__file__).resolve().parents[3] / "schemas" / "probe.schema.json"

# limit of probe.json; one with every statement and 200 answers has some 200 kB
LARGEST_DOCUMENT = 4 << 20
# tolerated error of clocks
AHEAD = timedelta(days=1)


@dataclass(frozen=True)
class Report(report.Found):
    """An accepted report, with the bytes of its probe.json."""

    text: bytes

    @property
    def id(self) -> str:
        """A short hash of its content."""
        return hashlib.sha256(self.text).hexdigest()[:12]

    @property
    def release(self) -> str:
        """Release and build, as in names of folders."""
        return f"{self.document['os']['version']}-{self.document['os']['build']}"


def checked(folder: Path) -> Report:
    """Read and check the folder of a report. Raises StudyError (bad input, or damaged)."""
    if not (folder / report.FILE).exists():
        raise StudyError(
            ExitCode.BAD_INPUT,
            f"there is no {folder / report.FILE}: name the folder that a probe wrote",
        )
    text = _content(folder, report.FILE, LARGEST_DOCUMENT)
    document = _document(folder, text)
    captures: dict[str, bytes] = {}
    left = report.MOST_KEPT_IN_ALL
    # what else lies there is not filed
    for name in sorted(document["files"]):
        captures[name] = _content(folder, name, min(left, report.MOST_KEPT))
        left -= len(captures[name])
    for wrong in _wrong(document, captures):
        raise _refused(folder, wrong)
    return Report(document, captures, text)


def _content(folder: Path, name: str, most: int) -> bytes:
    try:
        content = record_files.content(folder / name, folder)
    except DamageError as damage:
        raise _refused(folder, f"{name} cannot be read ({damage})") from damage
    if len(content) > most:
        raise _refused(folder, f"{name} is larger than a report's may be")
    return content


def _document(folder: Path, text: bytes) -> dict[str, Any]:
    try:
        document = parse(text.decode("utf-8"))
        schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
        jsonschema_rs.validator_for(schema).validate(document)
    except jsonschema_rs.ValidationError as error:
        place = "/".join(map(str, error.instance_path)) or "its whole"
        raise _refused(folder, f"{report.FILE} is not of its form at {place}") from error
    except UnicodeDecodeError as error:
        raise _refused(folder, f"{report.FILE} is not UTF-8 text") from error
    except DamageError as damage:
        raise _refused(folder, f"{report.FILE} is {damage}") from damage
    return document


def _wrong(document: dict[str, Any], captures: dict[str, bytes]) -> Iterator[str]:
    files = document["files"]
    for name, sha256 in files.items():
        if hashlib.sha256(captures[name]).hexdigest() != sha256:
            yield f"{name} was changed"
    kept = [one[stream]["file"] for one in document["answers"] for stream in ("stdout", "stderr")]
    kept += [one["file"] for one in document["images"]]
    for name in kept:
        if name is not None and name not in files:
            yield f"{name} is listed, but missing"
    yield from _impossible(document)
    yield from _personal(document, captures)


def _impossible(document: dict[str, Any]) -> Iterator[str]:
    ids = [one["id"] for one in document["statements"]]
    if len(set(ids)) != len(ids):
        yield "a statement occurs twice"
    names = [one["name"] for one in document["answers"]]
    if len(set(names)) != len(names):
        yield "an answer occurs twice"
    for one in document["statements"]:
        seen = [Observation(**observation) for observation in one["observations"]]
        if report.verdict(seen) != one["verdict"]:
            yield f"{one['id']} is not {one['verdict']}, by what was seen"
    for one in document["series"]:
        if len(one["attach_ms"]) > one["tries"] or len(one["detach_ms"]) > len(one["attach_ms"]):
            yield "a series has more times than tries"
    try:
        taken = datetime.strptime(document["taken_utc"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        yield "the day it was taken on does not exist"
        return
    if taken > datetime.now(UTC) + AHEAD:
        yield "its day is in the future"


def _personal(document: dict[str, Any], captures: dict[str, bytes]) -> Iterator[str]:
    # the only keys that are texts of programs
    why = [text for one in document["series"] for text in one["failures"]]
    for what, text in personal.found({**document, "files": why, "diskbench": None}):
        yield f"{report.FILE} contains {what}: {text[:40]}"
    clean = Cleaner(Path("/"))
    for name, content in captures.items():
        if what := clean.personal(content, is_text=not name.endswith(".bin")):
            yield f"{name} contains {what}"


def _refused(folder: Path, wrong: str) -> StudyError:
    return StudyError(
        ExitCode.DAMAGED_RECORD,
        f"{folder.resolve().name} cannot be accepted: {wrong}; "
        "ask for the report as the probe wrote it",
    )
