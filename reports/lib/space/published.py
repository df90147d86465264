"""What articles say that images take, and what ours took under macOS."""

import pandas as pd

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
