"""What articles say that images take, and what ours took under macOS."""

import pandas as pd

from lib.database import query


def sizes() -> pd.DataFrame:
    """What articles say that images take, and what ours took under macOS, a row for each pair."""
    return query(
        """
        select
            size.*, article.title,
            measured_host is not null and measured_driver = 'apple' and measured_value is not null
            and measured_scale <> 'smoke' and not coalesce(cell.stand_in, false)
            and not coalesce(list_contains(reasons, 'other-protocol'), false) as shown
        from article_size_table as size
        inner join article using (article)
        left join cell using (cell)
        order by article.published_on desc, table_order, measured_host, measured_release
        """
    )
