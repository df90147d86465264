"""Doubts about published amounts: two sizes for one state, and what the notes say."""

from lib import show, tables
from lib.database import query
from lib.space import labels


def two_figures() -> show.Shown:
    """States for which the articles give more than one size."""
    rows = query(
        """
        with stated as (
            select
                *,
                -- the end of either article: all files deleted
                replace(state, 'emptied-again', 'emptied') as moment
            from published_size
            where quantity = 'on-disk' and format <> 'any'
        )
        select format, moment, as_printed, unit, host, macos, storage, article.title, stated.note
        from stated
        inner join article using (article)
        qualify min(value_bytes) over (partition by format, moment)
            < max(value_bytes) over (partition by format, moment)
        order by format, moment, value_bytes
        """
    )
    return tables.table(
        [
            {
                "what": labels.image_in(row.format, row.moment),
                "size": tables.keep(f"{row.as_printed} {row.unit}"),
                "article": tables.with_small(row.title, labels.mac(row.host, row.macos)),
            }
            for row in rows.itertuples()
        ],
        {"size": "On disk", "article": "Article"},
        "One state, more than one published size",
        numbers=["size"],
        heading="what",
        name="two-figures",
        source=rows,
    )


def shown() -> show.Shown:
    """Every doubt or deduction about a published amount, with the figures it is about."""
    rows = query(
        """
        select
            article.title, published_size.note,
            string_agg(concat(as_printed, ' ', unit), ', ' order by table_order) as figures
        from published_size
        inner join article using (article)
        where published_size.note is not null
        group by article.title, article.published_on, published_size.note
        order by article.published_on, min(table_order)
        """
    )
    return tables.table(
        rows,
        {"figures": "Published", "note": "Doubt or deduction"},
        "Doubts and deductions about published amounts",
        heading="title",
        name="doubts",
    )
