"""Reads the intact records; damaged ones are refused by name.

The core checks them as in `diskbench verify`, and the path of a record must match its cell. Without
a core a record is accepted if it is JSON, matches its schema, has only values that fit into
columns, and has the SHA-256 of its content.
"""

import functools
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import jsonschema_rs

from console import ExitCode, StudyError
from database import judged
from record import (
    DamageError,
    checksum,
    first_line,
    parse,
    path_of,
    refuse_newer,
    shorten,
)
from record import text as read_text
from record_files import state

LOG = logging.getLogger(__name__)


class ChangedError(DamageError):
    """A record changed while it was read."""

    advice = "run again when no program writes it"


@dataclass(frozen=True)
class Record:
    """A loadable record: the id of its cell and its JSON text."""

    cell: str
    text: str


@dataclass(frozen=True)
class Refused:
    """A refused record: its path below the runs folder, the fault, and the next step."""

    path: str
    kind: str
    what: str
    advice: str

    @property
    def reason(self) -> str:
        """The fault and the next step, on one line."""
        return f"{self.what}; {self.advice}"


def read(
    runs: Path, schema: Path, files: Sequence[str], core: Path | None = None
) -> tuple[list[Record], list[Refused]]:
    """The records in these files below `runs`, in order; `core` is the program that checks them."""
    before = {name: state(runs / name) for name in files}
    verdicts = judged.judged(core, schema, runs, files)
    if verdicts is None:
        validate = validator(schema)  # reports an unusable schema even without records
    accepted: list[Record] = []
    refused: list[Refused] = []
    for name in files:
        try:
            text = read_text(runs / name, runs)
            if verdicts is None:
                check(parse(text), name, validate)
            elif state(runs / name) != before[name]:
                raise ChangedError("it was written while it was read")
            else:
                judged.check(verdicts, name)
        except DamageError as damage:
            refused.append(refusal(name, damage))
        else:
            accepted.append(Record(name.removesuffix(".json"), text))
    return accepted, refused


def refusal(name: str, damage: DamageError) -> Refused:
    """The message about a refused file (relative to the runs folder), with the next step."""
    return Refused(as_text(name), damage.kind, as_text(str(damage)), damage.advice)


def as_text(words: str) -> str:
    """A file name with a `?` for each undecodable byte."""
    return words.encode("utf-8", "replace").decode("utf-8")


@functools.cache
def validator(schema: Path) -> Callable[[Any], None]:
    """A function that raises `DamageError` if a record does not match the schema."""
    try:
        rules = json.loads(schema.read_text(encoding="utf-8"))
        jsonschema_rs.meta.validate(rules)
        checker = jsonschema_rs.validator_for(rules)
    except (OSError, ValueError) as error:
        raise StudyError(
            ExitCode.BAD_INPUT,
            f"the schema of records {schema} cannot be used ({first_line(error)}); create it "
            "again with `diskbench schema record`",
        ) from error

    def validate(record: Any) -> None:
        try:
            error = next(checker.iter_errors(record), None)
        except ValueError as unfit:  # nested too deeply, or an unpaired surrogate
            raise DamageError(first_line(unfit)) from unfit
        if error is not None:
            place = ".".join(str(step) for step in error.instance_path) or "record"
            raise DamageError(f"{place}: {shorten(error.message)}")

    return validate


def check(record: Any, name: str, validate: Callable[[Any], None]) -> None:
    """Raise `DamageError` unless the record may be loaded from this path below the runs folder."""
    refuse_newer(record)
    validate(record)
    stated = record["sha256"]
    if stated != checksum(record):
        raise DamageError("its checksum does not match its content")
    judged.refuse_misplaced(name, path_of(record["cell"]))
    for key in ("started_utc", "finished_utc"):
        try:
            datetime.strptime(record[key], "%Y-%m-%dT%H:%M:%SZ")
        except ValueError as error:
            raise DamageError(
                f"{key}: {record[key]!r} is not a time like 2026-03-23T12:00:00Z"
            ) from error
    files = [(sample["op"], sample["order"]) for sample in record["samples"]]
    if len(files) != len(set(files)):
        raise DamageError("samples: two files have the same place in the order")
