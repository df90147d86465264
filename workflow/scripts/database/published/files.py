"""The files of published figures: columns with their checks, and the key of a row.

The tables have the columns in this order. `source` is a column of articles.csv and elsewhere.csv
alone: the rows of an article have that of the article.
"""

from dataclasses import dataclass

from database.published import vocabulary as words
from database.published.checks import (
    Check,
    address,
    anything,
    cells,
    count,
    day,
    figure,
    one_of,
    or_empty,
    plain_value,
    positive,
    printed_in,
    quotation,
    reason_when_missing,
    size_in_quote,
    slug,
    some_text,
    speed,
    unit_of_value,
)

# where new words are added, for messages
CONFIG = "workflow/config/vocabulary.yaml"
CODE = "workflow/scripts/database/published/vocabulary.py"
PROTOCOLS = "workflow/config/protocols"
TRUTH = one_of({"true", "false"})
# where a figure was measured
PLACE = {
    "host": one_of(words.HOSTS, CONFIG),
    "macos": some_text,
    "storage": one_of(words.STORAGES, CONFIG),
}
# the same if it may apply to every format
ANY_IMAGE = {
    "format": one_of(words.FORMATS | {"any"}, CONFIG),
    "encryption": one_of(words.ENCRYPTIONS | {"any"}, CONFIG),
}
# where it is stated
STATED = {"source": address, "note": anything, "place": some_text}


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
        "published_on": or_empty(day),
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
        **PLACE,
        "format": one_of(words.FORMATS, CONFIG),
        "encryption": one_of(words.ENCRYPTIONS, CONFIG),
        "phase": one_of(words.PHASES, CONFIG),
        "condition": anything,
        "read_gbps": speed("read", 0),
        "write_gbps": speed("write", 0, "write_kind"),
        "quote": quotation,
        "source": address,
        "table_order": count,
        "table_name": anything,
        "kind": one_of(words.ANY_KIND),
        "read_gbps_to": speed("read", 1),
        "write_gbps_to": speed("write", 1, "write_kind"),
        "read_as_printed": printed_in("quote"),
        "write_as_printed": printed_in("write_quote"),
        "unit_as_printed": one_of(set(words.SPEED_UNITS)),
        "protocol": one_of(words.PROTOCOLS, PROTOCOLS),
        "scale": one_of(words.SCALES),
        "tool": some_text,
        "write_kind": one_of(words.ANY_KIND | {""}),
        "write_quote": or_empty(quotation),
        "second_hand": TRUTH,
        "reason": reason_when_missing,
        "note": anything,
        "place": some_text,
    },
)

SIZES = File(
    "sizes",
    "published_size",
    ("article", "table_order"),
    {
        "article": slug,
        "host": one_of(words.HOSTS, CONFIG),
        "macos": some_text,
        "format": one_of(words.FORMATS | {"any"}, CONFIG),
        "quantity": one_of(words.SIZE_QUANTITIES, CODE),
        "state": one_of(words.SIZE_STATES, CONFIG),
        "value": plain_value,
        "unit": one_of(words.SIZE_UNITS, CODE),
        "quote": quotation,
        "source": address,
        "table_order": count,
        "table_name": anything,
        "storage": one_of(words.STORAGES, CONFIG),
        "encryption": one_of(words.ENCRYPTIONS | {"any"}, CONFIG),
        "condition": anything,
        "as_printed": size_in_quote,
        "kind": one_of(words.KINDS),
        "second_hand": TRUTH,
        "note": anything,
        "place": some_text,
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
        "phase": one_of(words.PHASES | {"any"}, CONFIG),
        "condition": anything,
        "quantity": one_of(words.QUANTITIES, CODE),
        "op": one_of({"read", "write", ""}),
        "value": figure(0),
        "value_to": figure(1),
        "unit": one_of(words.FIGURE_UNITS, CODE),
        "as_printed": printed_in("quote"),
        "kind": one_of(words.ANY_KIND),
        "compared_with": anything,
        "second_hand": TRUTH,
        "quote": quotation,
        **STATED,
    },
)

ELSEWHERE = File(
    "elsewhere",
    "published_elsewhere",
    ("source_id", "source_order"),
    {
        "source_id": some_text,
        "title": some_text,
        "published_on": or_empty(day),
        "host": slug,
        "macos": some_text,
        "storage": slug,
        **ANY_IMAGE,
        "phase": one_of(words.PHASES, CONFIG),
        "condition": anything,
        "read_gbps": speed("read", 0),
        "write_gbps": speed("write", 0),
        "read_as_printed": printed_in("quote"),
        "write_as_printed": printed_in("quote"),
        "unit_as_printed": one_of(set(words.SPEED_UNITS) | {""}),
        "kind": one_of(words.ANY_KIND),
        "tool": some_text,
        "read_as": one_of(words.READ_AS),
        "quote": quotation,
        "source": address,
        "note": anything,
        "source_order": count,
        "quantity": one_of(words.OTHER_QUANTITIES, CODE),
        "op": one_of({"read", "write", ""}),
        "value": figure(0),
        "value_to": figure(1),
        "unit": unit_of_value(words.FIGURE_UNITS | words.SIZE_UNITS),
        "as_printed": printed_in("quote"),
    },
)

CONCLUSIONS = File(
    "conclusions",
    "conclusion",
    ("article", "number"),
    {
        "article": slug,
        "number": count,
        "claim": some_text,
        "quote": quotation,
        "place": some_text,
        "source": address,
        "note": anything,
        "ours": TRUTH,
        "comparison": one_of(words.COMPARISONS | {""}),
        "cells": cells,
        "ops": one_of({"read", "write", "read write", ""}),
        "storage": anything,
        "stated": or_empty(positive),
        "rule": one_of(words.RULES | {""}, CODE),
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
        "since": printed_in("quote"),
        "sparse_since": printed_in("quote"),
        "supported": TRUTH,
        "description": some_text,
        "quote": quotation,
        **STATED,
    },
)

# articles and tables first: the others name theirs
FILES = (ARTICLES, TABLES, SPEEDS, SIZES, OTHER_FIGURES, ELSEWHERE, CONCLUSIONS, FORMATS)
