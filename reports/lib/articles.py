"""Facts about articles for any page; parts of an article's own page are in `lib.article`."""

from urllib.parse import urlsplit

import pandas as pd

from lib import words
from lib.database import query

AUTHORS_SITE = "eclecticlight.co"
HOME = f"https://{AUTHORS_SITE}/"


def about(article: str) -> pd.Series:
    """Title, author, date and address of an article."""
    return query("select * from article where article = $article", article=article).iloc[0]


def credit(article: str) -> str:
    """The article with date and address, in Markdown; notes if only a copy was available."""
    of = about(article)
    day = " (exact day unknown)"
    if not words.missing(of.published_on):
        day = f" of {words.day(of.published_on)}"
    if is_copy(of.source):
        copy = f"[a copy on {urlsplit(of.source).hostname}]({of.source})"
        return f"\u201c{of.title}\u201d{day} on [{AUTHORS_SITE}]({HOME}), read in {copy}"
    if of.source.rstrip("/") == HOME.rstrip("/"):  # the original address is not known
        return f"\u201c{of.title}\u201d{day} on [{AUTHORS_SITE}]({HOME})"
    return f"[{of.title}]({of.source}){day}"


def is_copy(source: str) -> bool:
    """Whether an address is outside the author's own site."""
    return urlsplit(source).hostname != AUTHORS_SITE


def workload(article: str) -> str:
    """How much data the article wrote and read, in its own figures."""
    figures = query(
        """
        select quantity, any_value(as_printed) as printed, any_value(unit) as unit
        from published_size
        where article = $article
            and quantity in ('nominal', 'files', 'files-total') and kind = 'exact'
            and (quantity <> 'nominal' or format = 'UDSB')
        group by quantity
        """,
        article=article,
    ).set_index("quantity")
    parts = {
        "nominal": "{} {} in size",
        "files": "{} {}",
        "files-total": "{} {} written and read",
    }
    known = [(figures.loc[key], form) for key, form in parts.items() if key in figures.index]
    return ", ".join(form.format(row.printed, row.unit) for row, form in known)
