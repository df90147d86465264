"""A table that one article reprints from another."""

from lib import show, words
from lib.database import query


def shown(article: str) -> show.Shown:
    """A sentence with a link to the source of the reprinted table."""
    row = query(
        "select * from published_table where article = $article and same_as is not null",
        article=article,
    ).iloc[0]
    other, _, name = row["same_as"].partition("/")
    title = query("select title from article where article = $article", article=other)
    return show.text(
        f"The article has one table of speeds, the picture `{row['table_name']}`: "
        f"\u201c{show.plain(row['quote'])}\u201d. It reprints the table `{name}` "
        f"of [{title['title'].iloc[0]}]({other}.qmd), whose page has the measurements beside it. "
        f"{words.capital(show.plain(row['note']))}."
    )
