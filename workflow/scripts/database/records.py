"""Read the records and let in what is whole: a damaged one is refused by name, the others load.

A record is accepted when it is JSON, keeps to its schema, holds nothing that would not fit into a
column, carries the SHA-256 of its own content, and lies where its cell says.
"""

import hashlib
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import jsonschema

from console import ExitCode, StudyError

LOG = logging.getLogger(__name__)

# DuckDB's BIGINT
LARGEST_INTEGER = 2**63 - 1
MEASURE_AGAIN = "restore the file, or delete it to measure its cell again"


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


class DamageError(Exception):
    """What is wrong with a record."""


def read(runs: Path, schema: Path) -> tuple[list[Record], list[Refused]]:
    """All records below `runs` in the order of their paths; a missing folder holds none."""
    validate = validator(schema)
    accepted: list[Record] = []
    refused: list[Refused] = []
    for path in paths(runs):
        relative = path.relative_to(runs)
        try:
            text = _text(path)
            check(parse(text), relative, validate)
        except DamageError as damage:
            refused.append(Refused(relative.as_posix(), f"{damage}; {MEASURE_AGAIN}"))
        else:
            accepted.append(Record(relative.with_suffix("").as_posix(), text))
    return accepted, refused


def paths(runs: Path) -> list[Path]:
    """The files that are records: not the ones set aside, nor half-written ones (hidden)."""
    return sorted(
        path
        for path in runs.rglob("*.json")
        if ".superseded-" not in path.name and not path.name.startswith(".")
    )


def validator(schema: Path) -> Callable[[Any], None]:
    """A function that raises `DamageError` when a record does not keep to the schema."""
    try:
        rules = json.loads(schema.read_text(encoding="utf-8"))
        kind = jsonschema.validators.validator_for(rules)
        kind.check_schema(rules)
    except (OSError, ValueError, jsonschema.SchemaError) as error:
        raise StudyError(
            ExitCode.BAD_INPUT,
            f"the schema of records {schema} cannot be used ({_first_line(error)}); "
            "make it anew with `diskbench schema record`",
        ) from error
    checker = kind(rules)

    def validate(record: Any) -> None:
        error = jsonschema.exceptions.best_match(checker.iter_errors(record))
        if error is not None:
            place = ".".join(str(step) for step in error.absolute_path) or "record"
            raise DamageError(f"{place}: {_shorten(error.message)}")

    return validate


def parse(text: str) -> Any:
    """The record as Python values; no number but an integer that fits a column."""
    try:
        return json.loads(text, parse_int=_integer, parse_float=_no_float, parse_constant=_no_float)
    except ValueError as error:
        raise DamageError(f"not whole JSON ({_first_line(error)})") from error


def check(record: Any, path: Path, validate: Callable[[Any], None]) -> None:
    """Raise `DamageError` unless the record may be loaded from `path` (below the runs folder)."""
    validate(record)
    stated = record["sha256"]
    if stated != checksum(record):
        raise DamageError("its checksum does not match its content")
    expected = path_of(record["cell"])
    if path.as_posix() != expected:
        raise DamageError(f"it lies in the wrong place: its cell belongs to {expected}")
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


def checksum(record: dict[str, Any]) -> str:
    """SHA-256 of the record without its `sha256`: keys sorted, no spaces, UTF-8."""
    content = {key: value for key, value in record.items() if key != "sha256"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def path_of(cell: dict[str, Any]) -> str:
    """Where the record of a cell lies below the runs folder."""
    return (
        f"{cell['host']}/{cell['release']}/{cell['protocol']}-{cell['scale']}/{cell['storage']}/"
        f"{cell['driver']}/{cell['format']}-{cell['encryption']}/{cell['repeat']}/{cell['phase']}.json"
    )


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise DamageError(f"cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise DamageError("not UTF-8 text") from error


def _integer(digits: str) -> int:
    value = int(digits)
    if abs(value) > LARGEST_INTEGER:
        raise ValueError(f"{_shorten(digits)} is too large")
    return value


def _no_float(digits: str) -> None:
    raise ValueError(f"{_shorten(digits)} is not an integer")


def _first_line(error: Exception) -> str:
    return _shorten(str(error).partition("\n")[0])


def _shorten(text: str, limit: int = 160) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
