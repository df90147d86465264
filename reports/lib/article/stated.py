"""Other numbers of an article: shares, factors, processor time, ranges, days."""

import re

from lib import show, tables, words
from lib.database import query


def shown(article: str) -> show.Shown | None:
    """Every other number of the article, as printed, with its quote."""
    rows = query(
        """
        select *
        from published_figure
        where article = $article
        order by table_order
        """,
        article=article,
    )
    return tables.table(
        rows,
        [
            tables.sentence("What", _what),
            tables.text("Of", _of),
            tables.number("Published", _number),
            tables.sentence("In its words", _note),
        ],
        "Other numbers that it states",
        name="numbers",
        classes="wide",
    )


def _what(row: dict) -> tables.Markup:
    """The quantity, in which direction, compared with what."""
    name = words.name(words.QUANTITIES, row["quantity"]).replace("-", " ")
    op = "" if words.missing(row["op"]) else f", {row['op']}"
    beside = row["compared_with"]
    small = "" if words.missing(beside) else f"compared with {beside}"
    return tables.with_small(words.capital(f"{name}{op}"), small)


def _of(row: dict) -> tables.Markup:
    """The image, and where it was measured, as far as known."""
    form, encryption = row["format"], row["encryption"]
    parts = [
        "" if form in ("any", "unstated") else words.form(form),
        "" if encryption in ("any", "unstated") else words.encryption(encryption),
    ]
    host, macos = row["host"], row["macos"]
    place = [
        words.host(host) if host not in ("any", "unstated") else "",
        f"macOS {macos}" if macos not in ("any", "unstated") and not words.missing(macos) else "",
        row["condition"],
    ]
    small = words.joined(place)
    named = words.capital(words.joined(parts))
    return tables.with_small(named, small) if named else tables.markup(words.capital(small))


def _number(row: dict) -> str:
    """As printed, with its unit where the article's words do not have it already."""
    printed, unit = str(row["as_printed"]), row["unit"]
    spelt = not re.fullmatch(r"[\d.,]+( to [\d.,]+)?", printed)
    known = unit in (row["quantity"], None) or (spelt and (unit == "times" or unit in printed))
    return f"{words.bound(row['kind'], row['quote'])}{printed}{'' if known else f' {unit}'}"


def _note(row: dict) -> tables.Markup:
    below = words.joined([row["place"], row["note"]], "; ")
    return tables.with_small(words.quoted(row["quote"]), below)
