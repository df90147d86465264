"""Published sizes that disagree: two for one state."""

from lib import show, tables, words
from lib.database import query
from lib.space import published


def two_figures() -> show.Shown:
    """States with more than one published size."""
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
        rows,
        [
            tables.number("On disk", lambda row: tables.keep(words.printed(row))),
            tables.text(
                "Article",
                lambda row: tables.with_small(row["title"], words.mac(row["host"], row["macos"])),
            ),
        ],
        "One state, more than one published size",
        heading=lambda row: published.image_in(row["format"], row["moment"]),
        name="two-figures",
    )
