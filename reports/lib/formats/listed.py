"""The formats that an article lists, and what it says of each."""

import pandas as pd

from lib import words
from lib.database import query


def rows(article: str) -> pd.DataFrame:
    """The formats that an article lists, in its order."""
    return query(
        "select * from published_format where article = $article order by table_order",
        article=article,
    )


def supported(row: dict) -> str:
    """Under which heading the article has it."""
    return "Supported" if row["supported"] else "Unsupported"


def since(row: dict) -> str:
    """Since when there is a format, as far as the article says it."""
    if not words.missing(row["since"]):
        return row["since"]
    if not words.missing(row["sparse_since"]):
        return f"not stated; sparse from {row['sparse_since']}"
    return "not stated"
