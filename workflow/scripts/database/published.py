"""Read the articles' figures from CSV; every word is checked: a typo would pass for a finding.

The files are written by hand. Rows are refused, with file and line, when a column or a word is
unknown, when a number is none, when it does not agree with the number as printed, or when the
printed number does not stand in its quote.
"""

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path

from console import ExitCode, StudyError

UNSTATED = "unstated"
HOSTS = {
    "mac-studio-m1-max",
    "imac-pro",
    "macbook-pro-m1-pro",
    "macbook-pro-m3-pro",
    "mac-mini-m4-pro",
    UNSTATED,
}
STORAGES = {"internal", "usb4-980pro", UNSTATED}
FORMATS = {"native", "UDRW", "UDSP", "UDSB", "ASIF", "VM", UNSTATED}
ENCRYPTIONS = {"none", "AES-128", "AES-256", "FileVault", "APFS", UNSTATED}
PHASES = {"fresh", "partly-filled", "emptied", UNSTATED}
PROTOCOLS = {"usage-phases", "remounted", "as-created", "churn", "restart", UNSTATED}
SCALES = {"gold", "half", "tenth", UNSTATED}
KINDS = {"exact", "about", "below", "above"}
QUANTITIES = {
    "on-disk",
    "nominal",
    "free",
    "reclaimed",
    "band",
    "bands",
    "capacity",
    "files",
    "files-total",
    "files-left",
    "files-deleted",
    "smallest-file",
    "largest-file",
    "smallest-deleted-file",
    "largest-deleted-file",
}
STATES = {"new", "partly-emptied", "emptied", "emptied-again", "churned", "compacted", "any"}
UNITS = {"MB", "GB", "TB", "bands", "files"}

# what one unit as printed is in GB/s, the unit of the tables
SPEED_UNITS = {"GB/s": Decimal(1), "MB/s": Decimal("0.001")}
LONGEST_QUOTE_WORDS = 25

Row = dict[str, str]
Check = Callable[[str, Row], str | None]


@dataclass(frozen=True)
class Figures:
    """The three files: rows of text, complete and checked."""

    articles: list[Row]
    speeds: list[Row]
    sizes: list[Row]


class RowError(Exception):
    """What is wrong with a row."""


def one_of(words: set[str]) -> Check:
    """A check that the text is one of the words."""

    def check(text: str, _row: Row) -> str | None:
        return None if text in words else f"is none of {', '.join(sorted(words))}"

    return check


def some_text(text: str, _row: Row) -> str | None:
    """A check that something is there."""
    return None if text.strip() else "is empty"


def anything(_text: str, _row: Row) -> str | None:
    """No check."""
    return None


def slug(text: str, _row: Row) -> str | None:
    """A check that the text is a slug."""
    return None if re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", text) else "is no slug"


def address(text: str, _row: Row) -> str | None:
    """A check that the text is a web address."""
    return None if re.fullmatch(r"https://\S+", text) else "is no web address"


def day_or_empty(text: str, _row: Row) -> str | None:
    """A check that the text is a day or nothing."""
    try:
        if text:
            date.fromisoformat(text)
    except ValueError:
        return "is no day like 2026-03-23"
    return None


def count(text: str, _row: Row) -> str | None:
    """A check that the text is a number from 1."""
    return None if re.fullmatch(r"[1-9][0-9]*", text) else "is no number from 1"


def quotation(text: str, _row: Row) -> str | None:
    """A check that a quote is there, and short enough to be one."""
    words = len(text.split())
    return (
        None
        if 0 < words <= LONGEST_QUOTE_WORDS
        else f"has {words} words, not 1 to {LONGEST_QUOTE_WORDS}"
    )


def printed_in_quote(text: str, row: Row) -> str | None:
    """A check that a number as printed, if there is one, stands in the row's quote by itself."""
    number = rf"(?<![\d.,]){re.escape(text)}(?!\d|[.,]\d)"
    return None if not text or re.search(number, row["quote"]) else "does not stand in the quote"


def speed(direction: str, end: int) -> Check:
    """A check that a speed in GB/s is the printed one; `end` 1 is the upper end of a range."""

    def check(text: str, row: Row) -> str | None:
        ends = row[f"{direction}_as_printed"].split(" to ")
        is_range = row["kind"] == "range" and ends != [""]
        if len(ends) != (2 if is_range else 1):
            return f"does not fit {row[f'{direction}_as_printed']!r} of kind {row['kind']!r}"
        printed = ends[end] if end < len(ends) else ""
        if not text or not printed:
            return None if text == printed else f"does not agree with {printed!r} as printed"
        agrees = decimal(text) == decimal(printed) * SPEED_UNITS[row["unit_as_printed"]]
        return None if agrees else f"is not {printed} {row['unit_as_printed']}"

    return check


def plain_value(text: str, row: Row) -> str | None:
    """A check that a value is the number as printed, without its thousands separators."""
    agrees = decimal(text) == decimal(row["as_printed"].replace(",", ""))
    return None if agrees else f"is not {row['as_printed']}"


def reason_when_empty(text: str, row: Row) -> str | None:
    """A check that a row without any figure says why, and no other."""
    has_figure = bool(row["read_gbps"] or row["write_gbps"])
    return None if bool(text) != has_figure else "must say why there is no figure, and only then"


def decimal(text: str) -> Decimal:
    """The number, or a `RowError`."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise RowError(f"{text!r} is no number") from None
    if not value.is_finite() or value < 0:
        raise RowError(f"{text!r} is no size or speed")
    return value


ARTICLE_COLUMNS: dict[str, Check] = {
    "article": slug,
    "title": some_text,
    "published_on": day_or_empty,
    "author": some_text,
    "source": address,
    "read_as": some_text,
    "note": anything,
}

# checked in this order: a number is looked at when the words around it are known to be right
SPEED_COLUMNS: dict[str, Check] = {
    "article": slug,
    "table_order": count,
    "host": one_of(HOSTS),
    "macos": some_text,
    "storage": one_of(STORAGES),
    "format": one_of(FORMATS),
    "encryption": one_of(ENCRYPTIONS),
    "phase": one_of(PHASES),
    "condition": anything,
    "protocol": one_of(PROTOCOLS),
    "scale": one_of(SCALES),
    "tool": some_text,
    "kind": one_of(KINDS | {"range"}),
    "unit_as_printed": one_of(set(SPEED_UNITS)),
    "quote": quotation,
    "read_as_printed": printed_in_quote,
    "write_as_printed": printed_in_quote,
    "read_gbps": speed("read", 0),
    "read_gbps_to": speed("read", 1),
    "write_gbps": speed("write", 0),
    "write_gbps_to": speed("write", 1),
    "second_hand": one_of({"true", "false"}),
    "reason": reason_when_empty,
    "source": address,
    "note": anything,
}

SIZE_COLUMNS: dict[str, Check] = {
    "article": slug,
    "table_order": count,
    "host": one_of(HOSTS),
    "macos": some_text,
    "storage": one_of(STORAGES),
    "format": one_of((FORMATS - {UNSTATED}) | {"any"}),
    "encryption": one_of(ENCRYPTIONS | {"any"}),
    "quantity": one_of(QUANTITIES),
    "state": one_of(STATES),
    "condition": anything,
    "unit": one_of(UNITS),
    "kind": one_of(KINDS),
    "quote": quotation,
    "as_printed": printed_in_quote,
    "value": plain_value,
    "second_hand": one_of({"true", "false"}),
    "source": address,
    "note": anything,
}


def read(folder: Path) -> Figures:
    """The published figures, or a `StudyError` that names the line to mend."""
    articles = _rows(folder / "articles.csv", ARTICLE_COLUMNS, ["article"])
    known = {"article": one_of({row["article"] for row in articles})}
    key = ["article", "table_order"]
    return Figures(
        articles=articles,
        speeds=_rows(folder / "speeds.csv", SPEED_COLUMNS | known, key),
        sizes=_rows(folder / "sizes.csv", SIZE_COLUMNS | known, key),
    )


def _rows(path: Path, columns: dict[str, Check], key: list[str]) -> list[Row]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            header = reader.fieldnames or []
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
