"""Checks of the fields of published figures.

A check takes the text and its row; it returns the fault in words, or nothing.
"""

import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal, InvalidOperation

from database.published.vocabulary import ENCRYPTIONS, FORMATS, NUMBER_WORDS, SPEED_UNITS
from vocabulary import PHASES, STATES

LONGEST_QUOTE_WORDS = 12

Row = dict[str, str]
Check = Callable[[str, Row], str | None]


class RowError(Exception):
    """A fault of a row."""


def one_of(words: set[str], listed_in: str = "") -> Check:
    """A check that the text is one of the words, which a file lists."""
    known = ", ".join(sorted(words)) + (f", which {listed_in} lists" if listed_in else "")

    def check(text: str, _row: Row) -> str | None:
        return None if text in words else f"is none of {known}"

    return check


def unit_of_value(units: set[str]) -> Check:
    """A check that a value has one of the units, and that without a value there is none."""

    def check(text: str, row: Row) -> str | None:
        if not row["value"]:
            return None if not text else "is a unit without a value"
        return one_of(units)(text, row) if text else "is required where value is given"

    return check


def or_empty(check: Check) -> Check:
    """A check that the text, if there is one, passes another check."""
    return lambda text, row: check(text, row) if text else None


def some_text(text: str, _row: Row) -> str | None:
    """A check that the text is not empty."""
    return None if text.strip() else "is empty"


def anything(_text: str, _row: Row) -> str | None:
    """No check."""
    return None


def slug(text: str, _row: Row) -> str | None:
    """A check that the text is a slug."""
    return None if re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", text) else "is no slug"


def address(text: str, _row: Row) -> str | None:
    """A check that the text is a web address."""
    return None if re.fullmatch(r"https://\S+", text) else "is not a web address"


def day(text: str, _row: Row) -> str | None:
    """A check that the text is a day."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return "is not a day like 2026-03-23"
    return None


def count(text: str, _row: Row) -> str | None:
    """A check that the text is a number from 1."""
    return None if re.fullmatch(r"[1-9][0-9]*", text) else "is not a number from 1"


# a cell of a conclusion: format, encryption, phase, state or bands, after @ another Mac or macOS
CELL = re.compile(
    rf"(?:{'|'.join(FORMATS)})(?:\|(?:{'|'.join(FORMATS)}))?"
    rf"(?: (?:{'|'.join(ENCRYPTIONS)}))?"
    rf"(?: (?:{'|'.join([*PHASES, *STATES])}|(?:smaller|larger)-bands))?"
    r"(?: @[a-z0-9.()-]+)?"
)


def cells(text: str, row: Row) -> str | None:
    """A check that a conclusion has pairs of cells exactly if it has a comparison."""
    if not row["comparison"]:
        return None if not text else "compares nothing: the comparison is empty"
    for pair in text.split("; "):
        for cell in re.split(" [/-] ", pair):
            if not CELL.fullmatch(cell):
                return f"has {cell!r}, which is not a cell"
    return None


def positive(text: str, _row: Row) -> str | None:
    """A check that the text is a positive number."""
    return None if decimal(text) > 0 else "is not above 0"


def quotation(text: str, _row: Row) -> str | None:
    """A check that there is a quote of allowed length."""
    words = len(text.split())
    return (
        None
        if 0 < words <= LONGEST_QUOTE_WORDS
        else f"has {words} words, not 1 to {LONGEST_QUOTE_WORDS}"
    )


def printed_in(quote: str) -> Check:
    """A check that the numbers as printed, if any, occur in this quote of the row as whole numbers.

    The two ends of a range may be apart: "from 20 to 30", "between 20 and 30".
    """

    def check(text: str, row: Row) -> str | None:
        words = row[quote] or row["quote"]
        for end in filter(None, text.split(" to ")):
            if not re.search(rf"(?<![\w.,]){re.escape(end)}(?!\d|[.,]\d)", words):
                return "does not stand in the quote"
        return None

    return check


def size_in_quote(text: str, row: Row) -> str | None:
    """A check that the number as printed occurs in the quote, with its unit if that is of bytes."""
    if row["unit"] in ("MB", "GB") and f"{text} {row['unit']}" not in row["quote"]:
        return "does not stand in the quote with its unit"
    return printed_in("quote")(text, row)


def speed(direction: str, end: int, kind: str = "kind") -> Check:
    """A check that a speed in GB/s is the printed one; `end` 1 is the upper end of a range."""

    def check(text: str, row: Row) -> str | None:
        ends = row[f"{direction}_as_printed"].split(" to ")
        is_range = (row[kind] or row["kind"]) == "range" and ends != [""]
        if len(ends) != (2 if is_range else 1):
            return f"does not fit {row[f'{direction}_as_printed']!r} of kind {row['kind']!r}"
        printed = ends[end] if end < len(ends) else ""
        if not text or not printed:
            return None if text == printed else f"does not agree with {printed!r} as printed"
        if complaint := one_of(set(SPEED_UNITS))(row["unit_as_printed"], row):
            return f"has the unit {row['unit_as_printed']!r}, which {complaint}"
        # no speed has thousands separators: a comma is the decimal comma of a German source
        expected = decimal(printed.replace(",", ".")) * Decimal(SPEED_UNITS[row["unit_as_printed"]])
        agrees = decimal(text) == expected
        return None if agrees else f"is not {printed} {row['unit_as_printed']}"

    return check


def plain_value(text: str, row: Row) -> str | None:
    """A check that a value is the number as printed, without its thousands separators."""
    agrees = decimal(text) == decimal(row["as_printed"].replace(",", ""))
    return None if agrees else f"is not {row['as_printed']}"


def figure(end: int) -> Check:
    """A check that a value is the printed number or word, in the row's unit; `end` 1 as in `speed`.

    An end of a range may have a unit of its own: "20 MB/s to 3.1 GB/s" is 0.02 to 3.1 GB/s.
    """

    def check(text: str, row: Row) -> str | None:
        ends = row["as_printed"].split(" to ") if row["as_printed"] else []
        if ends and len(ends) != (2 if row["kind"] == "range" else 1):
            return f"does not fit {row['as_printed']!r} of kind {row['kind']!r}"
        printed = ends[end] if end < len(ends) else ""
        if not text or not printed:
            return None if text == printed else f"does not agree with {printed!r} as printed"
        number, _, unit = printed.rpartition(" ") if printed[-1].isalpha() else (printed, "", "")
        if printed in NUMBER_WORDS:
            number, unit = NUMBER_WORDS[printed], ""
        if unit and row["unit"] != "GB/s":
            return f"has a unit in {printed!r}, which only speeds in GB/s may"
        factor = Decimal(SPEED_UNITS.get(unit, "1"))
        agrees = decimal(text) == decimal(number.replace(",", "")) * factor
        return None if agrees else f"is not {printed}"

    return check


def reason_when_missing(text: str, row: Row) -> str | None:
    """A check that a row without a figure has a reason, or a table that must contain the figure."""
    figures = [bool(row["read_gbps"]), bool(row["write_gbps"])]
    missing = not any(figures) or (bool(row["table_name"]) and not all(figures))
    return None if bool(text) == missing else "must say why a figure is missing, and only then"


def decimal(text: str) -> Decimal:
    """The number, or a `RowError`."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise RowError(f"{text!r} is no number") from None
    if not value.is_finite() or value < 0:
        raise RowError(f"{text!r} is not a size or speed")
    return value
