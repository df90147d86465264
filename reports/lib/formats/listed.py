"""The list of formats of an article: as a reference, beside diskbench, as targets to convert to."""

import pandas as pd

from lib import show, tables, words
from lib.database import query
from lib.formats.facts import FACTS

# `hdiutil convert` makes all of the list but these
ELSEWHERE = {"ASIF": "`diskutil image create from --format ASIF` (macOS 26)"}


def rows(article: str) -> pd.DataFrame:
    """The formats in an article, in its order."""
    return query(
        "select * from published_format where article = $article order by table_order",
        article=article,
    )


def reference(article: str) -> show.Shown | None:
    """The article's list, row by row, with what the tools can do with each format."""
    return tables.table(
        rows(article),
        [
            tables.text("Format", "format", _anchored),
            tables.sentence("The article says", _described),
            tables.text("Since", _since),
            _fact("Made with", "made"),
            _fact("Written to", "written"),
            _fact("Grows and shrinks", "space"),
            _fact("Encrypted", "encrypted"),
        ],
        "The formats that the article lists, in its order, and what macOS can do with each",
        name="formats",
        classes="wide",
        heading=_supported,
    )


def ours(article: str) -> show.Shown | None:
    """The same rows: whether diskbench measures, makes and checks them."""
    return tables.table(
        rows(article),
        [
            tables.text("Format", "format"),
            _fact("On a Mac (driver apple)", "apple"),
            _fact("On any system (driver portable, diskbench image)", "portable"),
        ],
        "What diskbench can do with each format",
        name="ours",
        classes="wide",
        heading=_supported,
    )


def conversions(article: str) -> show.Shown | None:
    """The formats that the article lists, as targets of a conversion."""
    return tables.table(
        rows(article),
        [
            tables.text("Format", "format"),
            tables.sentence("The article says", "description", words.quoted),
            tables.text("macOS", "format", _converter),
            _fact("Can be written to", "written"),
            tables.text("diskbench", "format", _our_converter),
        ],
        "The formats that the article lists, in its order, as targets of a conversion",
        name="conversions",
        classes="wide",
    )


def _fact(heading: str, fact: str) -> tables.Column:
    return tables.text(heading, "format", lambda code: tables.code(getattr(FACTS[code], fact)))


def _anchored(code: str) -> tables.Markup:
    return tables.Markup(f'<span id="format-{code}">{tables.markup(code)}</span>')


def _described(row: dict) -> tables.Markup:
    return tables.with_small(words.quoted(row["description"]), words.value(row["note"], ""))


def _since(row: dict) -> str:
    """Since when there is a format, as far as the article says it."""
    if not words.missing(row["since"]):
        return row["since"]
    if not words.missing(row["sparse_since"]):
        return f"not stated; sparse from {row['sparse_since']}"
    return "not stated"


def _supported(row: dict) -> str:
    """Under which heading the article has it."""
    return "Supported" if row["supported"] else "Unsupported"


def _converter(code: str) -> tables.Markup:
    return tables.code(ELSEWHERE.get(code, f"`hdiutil convert -format {code}`"))


def _our_converter(code: str) -> str:
    return tables.code(f"`image convert --to {code}`") if code in words.PORTABLE else "no"
