"""Reads a CSV file and checks its columns row by row."""

import csv
from pathlib import Path

from console import ExitCode, StudyError
from database.published.checks import Check, Row, RowError


def read(path: Path, columns: dict[str, Check], key: tuple[str, ...]) -> list[Row]:
    """The rows, with exactly these columns and unique keys; else a `StudyError`."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            header = list(reader.fieldnames or [])
            _check_header(header, columns)
            seen: set[tuple[str, ...]] = set()
            rows = []
            for row in reader:
                try:
                    _check_row(row, columns)
                    identity = tuple(row[column] for column in key)
                    if identity in seen:
                        raise RowError(f"{' '.join(identity)!r} is there twice")
                except RowError as error:
                    raise RowError(f"line {reader.line_num}: {error}") from None
                seen.add(identity)
                rows.append(row)
    except RowError as error:
        raise StudyError(ExitCode.BAD_INPUT, f"{path}, {error}; correct the file") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise StudyError(
            ExitCode.BAD_INPUT, f"{path} cannot be read ({error}); restore it"
        ) from error
    return rows


def _check_header(header: list[str], columns: dict[str, Check]) -> None:
    for column in header:
        if column not in columns:
            raise RowError(f"line 1: unknown column {column!r}")
    for column in columns:
        if header.count(column) != 1:
            raise RowError(f"line 1: column {column!r} is needed once")


def _check_row(row: Row, columns: dict[str, Check]) -> None:
    if None in row or None in row.values():
        raise RowError("has more or fewer fields than the header")
    for column, check in columns.items():
        try:
            complaint = check(row[column], row)
        except RowError as error:
            raise RowError(f"{column}: {error}") from None
        if complaint:
            raise RowError(f"{column}: {row[column]!r} {complaint}")
