"""The files of published figures: columns, their checks, and the key of a row.

Columns are checked in this order: numbers after the words around them.
"""

from dataclasses import dataclass

from database.published import vocabulary as words
from database.published.checks import (
    Check,
    address,
    anything,
    cells,
    count,
    day_or_empty,
    figure,
    one_of,
    plain_value,
    positive_or_empty,
    printed_in,
    quotation,
    quotation_or_empty,
    reason_when_missing,
    slug,
    some_text,
    speed,
    unit_of_value,
)

TRUTH = one_of({"true", "false"})
# where a figure was measured
PLACE = {
    "host": one_of(words.HOSTS),
    "macos": some_text,
    "storage": one_of(words.STORAGES),
}
# the same if it may apply to every format
ANY_IMAGE = {
    "format": one_of(words.FORMATS | {"any"}),
    "encryption": one_of(words.ENCRYPTIONS | {"any"}),
}
# where it is stated
STATED = {"place": some_text, "source": address, "note": anything}


@dataclass(frozen=True)
class File:
    """One file: `<name>.csv` becomes the table `raw_<table>`."""

    name: str
    table: str
    key: tuple[str, ...]
    columns: dict[str, Check]


ARTICLES = File(
    "articles",
    "article",
    ("article",),
    {
        "article": slug,
        "title": some_text,
        "published_on": day_or_empty,
        "author": some_text,
        "source": address,
        "words": count,
        "read_as": some_text,
        "note": anything,
    },
)

TABLES = File(
    "tables",
    "published_table",
    ("article", "table_name"),
    {
        "article": slug,
        "table_name": slug,
        "table_number": count,
        "title": some_text,
        "picture": TRUTH,
        "shape": one_of(words.SHAPES),
        "same_as": anything,
        "quote": quotation,
        **STATED,
    },
)

SPEEDS = File(
    "speeds",
    "published_speed",
    ("article", "table_order"),
    {
        "article": slug,
        "table_order": count,
        "table_name": anything,
        **PLACE,
        "format": one_of(words.FORMATS),
        "encryption": one_of(words.ENCRYPTIONS),
        "phase": one_of(words.PHASES),
        "condition": anything,
        "protocol": one_of(words.PROTOCOLS),
        "scale": one_of(words.SCALES),
        "tool": some_text,
        "kind": one_of(words.ANY_KIND),
        "write_kind": one_of(words.ANY_KIND | {""}),
        "unit_as_printed": one_of(set(words.SPEED_UNITS)),
        "quote": quotation,
        "write_quote": quotation_or_empty,
        "read_as_printed": printed_in("quote"),
        "write_as_printed": printed_in("write_quote"),
        "read_gbps": speed("read", 0),
        "read_gbps_to": speed("read", 1),
        "write_gbps": speed("write", 0, "write_kind"),
        "write_gbps_to": speed("write", 1, "write_kind"),
        "second_hand": TRUTH,
        "reason": reason_when_missing,
        **STATED,
    },
)

SIZES = File(
    "sizes",
    "published_size",
    ("article", "table_order"),
    {
        "article": slug,
        "table_order": count,
        "table_name": anything,
        **PLACE,
        **ANY_IMAGE,
        "quantity": one_of(words.SIZE_QUANTITIES),
        "state": one_of(words.SIZE_STATES),
        "condition": anything,
        "unit": one_of(words.SIZE_UNITS),
        "kind": one_of(words.KINDS),
        "quote": quotation,
        "as_printed": printed_in("quote"),
        "value": plain_value,
        "second_hand": TRUTH,
        **STATED,
    },
)

OTHER_FIGURES = File(
    "figures",
    "published_figure",
    ("article", "table_order"),
    {
        "article": slug,
        "table_order": count,
        **PLACE,
        **ANY_IMAGE,
        "phase": one_of(words.PHASES | {"any"}),
        "condition": anything,
        "quantity": one_of(words.QUANTITIES),
        "op": one_of({"read", "write", ""}),
        "unit": one_of(words.FIGURE_UNITS),
        "kind": one_of(words.ANY_KIND),
        "quote": quotation,
        "as_printed": printed_in("quote"),
        "value": figure(0),
        "value_to": figure(1),
        "compared_with": anything,
        "second_hand": TRUTH,
        **STATED,
    },
)

ELSEWHERE = File(
    "elsewhere",
    "published_elsewhere",
    ("source_id", "source_order"),
    {
        "source_id": some_text,
        "source_order": count,
        "title": some_text,
        "published_on": day_or_empty,
        "host": slug,
        "macos": some_text,
        "storage": slug,
        **ANY_IMAGE,
        "phase": one_of(words.PHASES),
        "condition": anything,
        "unit_as_printed": one_of(set(words.SPEED_UNITS) | {""}),
        "kind": one_of(words.ANY_KIND),
        "tool": some_text,
        "read_as": one_of(words.READ_AS),
        "quote": quotation,
        "read_as_printed": printed_in("quote"),
        "write_as_printed": printed_in("quote"),
        "read_gbps": speed("read", 0),
        "write_gbps": speed("write", 0),
        "quantity": one_of(words.OTHER_QUANTITIES),
        "op": one_of({"read", "write", ""}),
        "unit": unit_of_value(words.FIGURE_UNITS | words.SIZE_UNITS),
        "as_printed": printed_in("quote"),
        "value": figure(0),
        "value_to": figure(1),
        "source": address,
        "note": anything,
    },
)

CONCLUSIONS = File(
    "conclusions",
    "conclusion",
    ("article", "number"),
    {
        "article": slug,
        "number": count,
        "ours": TRUTH,
        "claim": some_text,
        "quote": quotation,
        **STATED,
        "comparison": one_of(words.COMPARISONS | {""}),
        "cells": cells,
        "ops": one_of({"read", "write", "read write", ""}),
        "storage": anything,
        "stated": positive_or_empty,
        "rule": one_of(words.RULES | {""}),
        "study": anything,
        "scale": one_of(words.SCALES | {""}),
    },
)

FORMATS = File(
    "formats",
    "published_format",
    ("article", "format"),
    {
        "article": slug,
        "table_order": count,
        "format": some_text,
        "supported": TRUTH,
        "description": some_text,
        "quote": quotation,
        "since": printed_in("quote"),
        "sparse_since": printed_in("quote"),
        **STATED,
    },
)

# articles and tables first: the others name theirs
FILES = (ARTICLES, TABLES, SPEEDS, SIZES, OTHER_FIGURES, ELSEWHERE, CONCLUSIONS, FORMATS)
