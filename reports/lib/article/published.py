"""What an article states: its tables, its conclusions; then, folded, its method and all else."""

from lib import show, words
from lib.article import conclusions, doubts, method, sizes, speeds, stated
from lib.database import query


def shown(article: str, how: str) -> show.Shown:
    """The same parts on the page of each article, behind its findings.

    `how` says in a few sentences how the article measured, and how we do.
    """
    return show.together(
        show.text("## Its tables"),
        _tables(article),
        show.text("## Its conclusions"),
        conclusions.shown(article),
        show.folded(
            "How it is measured", show.text(how), method.steps(article), method.missing(article)
        ),
        show.folded("What else the article states", _in_text(article), stated.shown(article)),
        show.folded("Caveats about its figures", doubts.shown(article)),
    )


def _tables(article: str) -> show.Shown | None:
    """Each table, row by row, with notes on it."""
    found = query(
        """
        select *
        from published_table
        where article = $article
        order by table_number
        """,
        article=article,
    )
    parts = []
    for table in found.to_dict("records"):
        name, title = table["table_name"], table["title"]
        number = f"Table {table['table_number']}: {title[:1].lower()}{title[1:]}"
        rows = [speeds.one(article, name, title), sizes.one(article, name, title)]
        if any(rows):
            whole = [_about(table), *rows]
            # results of another article, which this one recalls
            parts += [show.folded(number, *whole)] if _recalled(article, name) else whole
            continue
        # a table without measurable quantities, such as steps
        numbers = sizes.method(article, name, title)
        parts.append(show.folded(number, _about(table), numbers))
    return show.together(*parts)


def _recalled(article: str, table: str) -> bool:
    """Whether no figure of a table is the article's own."""
    rows = speeds.rows_of(article, table)
    return len(rows) > 0 and bool(rows["second_hand"].all())


def _in_text(article: str) -> show.Shown | None:
    """The figures that are in none of its tables; the numbers of its method are folded."""
    title = "stated in its text but in none of its tables"
    numbers = sizes.method(article, None, "Sizes and counts that describe its method")
    return show.together(
        speeds.one(article, None, f"Speeds {title}"),
        sizes.one(article, None, f"Sizes {title}"),
        show.folded("Numbers that describe its method", numbers),
    )


def _about(table: dict) -> show.Shown:
    """A few sentences about a table of the article."""
    number = f"Table {table['table_number']}"
    kind = (
        f"the picture `{table['table_name']}`"
        if table["picture"]
        else "compiled by us from its text"
    )
    said = [f"**{number}**, {kind}: \u201c{show.plain(table['quote'].rstrip('.:'))}\u201d."]
    if table["shape"] != "stated":
        said.append(
            "Of this picture, only the numbers that the text repeats are known; its rows are "
            "inferred from the text."
        )
    if not words.missing(table["note"]):
        said.append(f"{words.capital(show.plain(table['note']))}.")
    return show.text(" ".join(said))
