"""Facts of an article that any page may tell; what only its own page shows is in `lib.article`."""

import pandas as pd

from lib.database import query


def about(article: str) -> pd.Series:
    """Title, author, day and address of an article."""
    return query("select * from article where article = $article", article=article).iloc[0]


def workload(article: str) -> str:
    """How much the article wrote and read, in its own figures."""
    told = query(
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
    known = [(told.loc[key], form) for key, form in parts.items() if key in told.index]
    return ", ".join(form.format(row.printed, row.unit) for row, form in known)
