"""Read the records and let in what is whole: a damaged one is refused by name, the others load.

A record is accepted when it is JSON, keeps to its schema, holds nothing that would not fit into a
column, carries the SHA-256 of its own content, and lies where its cell says.
"""

import functools
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from console import ExitCode, StudyError
from database.vouched import vouched
from record import (
    DamageError,
    NewerError,
    checksum,
    first_line,
    parse,
    path_of,
    paths,
    refuse_newer,
    shorten,
)
from record import text as read_text

LOG = logging.getLogger(__name__)

MEASURE_AGAIN = "restore the file, or delete it to measure its cell again"
UPDATE = "update diskbench, then call again; until then it is left alone, and in no table"
MOVE = "move it there, or delete this copy"


class MisplacedError(DamageError):
    """A record that is whole, and lies where that of another cell belongs."""


@dataclass(frozen=True)
class Record:
    """A record that may be loaded: the id of its cell and its JSON text."""

    cell: str
    text: str


@dataclass(frozen=True)
class Refused:
    """A record that may not: where it lies below the runs folder, and what is wrong."""

    path: str
    reason: str


def read(
    runs: Path, schema: Path, files: Sequence[str] | None = None, core: Path | None = None
) -> tuple[list[Record], list[Refused]]:
    """The records in these files below `runs`, else in all, in order; a missing folder holds none.

    `core` is the program that may vouch for some of them, so that they need no check here.
    """
    validate = functools.cache(lambda: validator(schema))
    if core is None:
        validate()  # a schema that cannot be used is told though there is no record
    if files is None:
        files = [path.relative_to(runs).as_posix() for path in paths(runs)]
    before = {name: _state(runs / name) for name in files}
    fast = vouched(core, schema, runs, tuple(files))
    accepted: list[Record] = []
    refused: list[Refused] = []
    for name in files:
        relative = Path(name)
        try:
            text = read_text(runs / relative)
            # what changed since the core looked at it has to be looked at again
            if name not in fast or _state(runs / relative) != before[name]:
                check(parse(text), relative, validate())
        except DamageError as damage:
            refused.append(
                Refused(as_text(relative.as_posix()), as_text(f"{damage}; {_advice(damage)}"))
            )
        else:
            accepted.append(Record(relative.with_suffix("").as_posix(), text))
    return accepted, refused


def as_text(words: str) -> str:
    """With a `?` for what is no text: the bytes of a file's name may be anything."""
    return words.encode("utf-8", "replace").decode("utf-8")


def _advice(damage: DamageError) -> str:
    match damage:
        case NewerError():
            return UPDATE
        case MisplacedError():
            return MOVE
        case _:
            return MEASURE_AGAIN


def _state(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


@functools.cache
def validator(schema: Path) -> Callable[[Any], None]:
    """A function that raises `DamageError` when a record does not keep to the schema."""
    # here, as most builds need none of it, and it takes longer than one host
    import jsonschema

    try:
        rules = json.loads(schema.read_text(encoding="utf-8"))
        kind = jsonschema.validators.validator_for(rules)
        kind.check_schema(rules)
    except (OSError, ValueError, jsonschema.SchemaError) as error:
        raise StudyError(
            ExitCode.BAD_INPUT,
            f"the schema of records {schema} cannot be used ({first_line(error)}); "
            "make it anew with `diskbench schema record`",
        ) from error
    checker = kind(rules)

    def validate(record: Any) -> None:
        error = jsonschema.exceptions.best_match(checker.iter_errors(record))
        if error is not None:
            place = ".".join(str(step) for step in error.absolute_path) or "record"
            raise DamageError(f"{place}: {shorten(error.message)}")

    return validate


def check(record: Any, path: Path, validate: Callable[[Any], None]) -> None:
    """Raise `DamageError` unless the record may be loaded from `path` (below the runs folder)."""
    refuse_newer(record)
    validate(record)
    stated = record["sha256"]
    if stated != checksum(record):
        raise DamageError("its checksum does not match its content")
    expected = path_of(record["cell"])
    if path.as_posix() != expected:
        raise MisplacedError(f"it lies in the wrong place: its cell belongs to {expected}")
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
