"""What articles say that images take, and what ours took under macOS."""

import pandas as pd

from lib import words
from lib.database import query


def sizes() -> pd.DataFrame:
    """What articles say that images take, and what ours took under macOS, a row for each pair."""
    return query(
        """
        select
            size.*, article.title,
            measured_value is not null as shown
        from comparable_article_size as size
        inner join article using (article)
        order by article.published_on desc, table_order, measured_host, measured_release
        """
    )


def image_in(form: str, state: str) -> str:
    """An image by its format, and the state of its use."""
    return f"{words.short(form)}, {words.state(state)}"
