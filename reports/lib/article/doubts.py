"""Caveats about an article's figures: unclear, implied or implausible ones."""

from lib import show, tables, words
from lib.database import query


def shown(article: str) -> show.Shown:
    """The notes on its rows, each once, with the rows that it is about."""
    rows = query(
        """
        with notes as (
            select note, concat(format, ', ', encryption) as image, table_order
            from published_speed
            where article = $article and note is not null
            union all
            select note, concat(format, ', size'), 1000 + table_order
            from published_size
            where article = $article and note is not null
            union all
            select note, concat(quantity, ', number'), 2000 + table_order
            from published_figure
            where article = $article and note is not null
            union all
            select note, concat('conclusion ', number, ', '), 3000 + number
            from conclusion
            where article = $article and note is not null
        )
        select note, string_agg(distinct image, '; ' order by image) as images, count(*) as rows
        from notes
        group by note
        order by min(table_order)
        """,
        article=article,
    )
    return tables.table(
        rows,
        [
            tables.sentence("Caveat or deduction", "note"),
            tables.text("Figures concerned", "images", _first),
            tables.number("Rows", "rows"),
        ],
        "What to keep in mind about the published figures",
        name="doubts",
    )


def _first(images: str) -> str:
    """At most three of a list, in words."""
    parts = list(dict.fromkeys(_named(image) for image in images.split("; ")))
    return "; ".join(parts[:3]) + (f" and {len(parts) - 3} more" if len(parts) > 3 else "")


def _named(image: str) -> str:
    form, _, other = image.partition(", ")
    if other == "number":
        return words.name(words.QUANTITIES, form).replace("-", " ")
    return words.joined([words.form(form), words.encryption(other)])
