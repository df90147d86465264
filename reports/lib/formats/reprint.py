"""A table that one article reprints from another."""

import pandas as pd

from lib import show, words
from lib.database import query


def of(article: str) -> tuple[str, str]:
    """The source of the reprinted table: article and table."""
    row = _table(article)
    other, _, name = row["same_as"].partition("/")
    return other, name


def shown(article: str) -> show.Shown:
    """A sentence with a link to the source of the reprinted table."""
    row = _table(article)
    other, name = of(article)
    title = query("select title from article where article = $article", article=other)
    return show.text(
        f"The article has one table of speeds, the picture `{row['table_name']}`: "
        f"\u201c{show.plain(row['quote'])}\u201d. It reprints the table `{name}` "
        f"of [{title['title'].iloc[0]}]({other}.qmd), whose page has the measurements beside it. "
        f"{words.capital(show.plain(row['note']))}."
    )


def _table(article: str) -> pd.Series:
    return query(
        "select * from published_table where article = $article and same_as is not null",
        article=article,
    ).iloc[0]
