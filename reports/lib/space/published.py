"""Published sizes of images, with ours measured under macOS."""

import pandas as pd

from lib import words
from lib.database import query


def sizes() -> pd.DataFrame:
    """Published sizes and ours measured under macOS, a row per pair."""
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
