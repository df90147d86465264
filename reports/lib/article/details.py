"""The folded parts of an article's page: method, other numbers, caveats."""

from lib import show
from lib.article import doubts, method, published, speeds, stated


def shown(article: str, how: str) -> show.Shown:
    """Three folds; `how` says in a few sentences how the article measured, and how we do."""
    return show.together(
        show.folded(
            "How it is measured", show.text(how), method.steps(article), method.missing(article)
        ),
        show.folded("How to read the table", speeds.how_to_read()),
        show.folded(
            "What else the article states", published.in_text(article), stated.shown(article)
        ),
        show.folded("Caveats about its figures", doubts.shown(article)),
    )
