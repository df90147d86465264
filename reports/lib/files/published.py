"""Published statements about single files."""

import pandas as pd

from lib import links, show, words
from lib.database import query


def ranges() -> pd.DataFrame:
    """The published ranges of rates between files."""
    return query(
        """
        select
            article, published_on, host, macos, condition, op, value as low, value_to as high, unit,
            as_printed, quote
        from published_figure
        inner join article using (article)
        where quantity = 'speed' and kind = 'range' and contains(condition, 'single files')
        order by article, table_order
        """
    ).assign(
        what=lambda rows: [
            f"published: {row.condition.removeprefix('single files, ')}, "
            f"{words.mac(row.host, row.macos)}"
            for row in rows.itertuples()
        ]
    )


def shown(measured: bool) -> show.Shown:
    """A sentence for each published statement about single files."""
    told = [
        f"An article of {words.month(row.published_on)} says that files of "
        f"{row.condition.removeprefix('single files, ')} were written at "
        f"[\u201c{show.plain(row.quote)}\u201d]({links.to(f'articles/{row.article}.html')})."
        for row in ranges().itertuples()
    ]
    if measured:
        told.append("Below is the same span for each cell that this page shows.")
    return show.text(" ".join(told))
