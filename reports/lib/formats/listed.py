"""The list of formats of an article."""

import pandas as pd

from lib import show, tables, words
from lib.database import query


def rows(article: str) -> pd.DataFrame:
    """The formats in an article, in its order."""
    return query(
        "select * from published_format where article = $article order by table_order",
        article=article,
    )


def reference(article: str) -> show.Shown | None:
    """The article's list, row by row."""
    return tables.table(
        rows(article),
        [
            tables.text("Format", "format"),
            tables.sentence("The article says", _described),
            tables.text("Since", _since),
        ],
        "The formats that the article lists, in its order",
        name="formats",
        heading=lambda row: "Supported" if row["supported"] else "Unsupported",
    )


def _described(row: dict) -> tables.Markup:
    return tables.with_small(words.quoted(row["description"]), words.value(row["note"], ""))


def _since(row: dict) -> str:
    """Since when there is a format, as far as the article says it."""
    if not words.missing(row["since"]):
        return row["since"]
    if not words.missing(row["sparse_since"]):
        return f"not stated; sparse from {row['sparse_since']}"
    return "not stated"
