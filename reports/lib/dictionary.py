"""The data dictionary: every table and column with its comment in the database."""

from html import escape

import pandas as pd

from lib import show, words
from lib.database import query

# groups in order, with their contents
GROUPS = {
    "published": "What the articles state, transcribed: each figure with its exact quote.",
    "measured": "What was measured, and under which conditions: the records in `data/runs/`.",
    "known about macOS": "What diskbench assumes about macOS\u2019s tools, and what probes on Macs "
    "found.",
    "compared": "Published with measured figures, one release with another, images with ordinary "
    "files.",
    "rules and codes": "How verdicts are made, and what the codes of reasons mean.",
}
COMPARED = {
    "article_size_table",
    "article_table",
    "comparable_article",
    "comparable_article_size",
    "conclusion_evidence",
    "conclusion_figure",
    "encryption_cost",
    "format_cost",
    "known_speed",
    "release_change",
    "release_published",
}
# what makes a column of a view that of a table
KIND = ("column", "type")
RULES = {"reason", "verdict_rule"}
PUBLISHED = {"article", "conclusion", "conclusion_pair", "conclusion_setting"}


def group(table: str) -> str:
    """The group of a table."""
    if table in COMPARED:
        return "compared"
    if table in RULES:
        return "rules and codes"
    if table.startswith("macos_"):
        return "known about macOS"
    if table in PUBLISHED or table.startswith("published_"):
        return "published"
    return "measured"


def contents() -> pd.DataFrame:
    """A row per table and view: name, comment, columns, whether a view, rows; by group."""
    found = query(
        """
        select table_name as "table", comment, column_count as columns, false as "view"
        from duckdb_tables()
        where not temporary and schema_name = 'main' and database_name = current_database()
        union all
        select view_name, comment, column_count, true
        from duckdb_views()
        where not internal and not temporary and database_name = current_database()
        order by 1
        """
    )
    found["group"] = found["table"].map(group)
    found["rows"] = [
        int(query(f'select count(*) as n from "{name}"')["n"].iloc[0]) for name in found["table"]
    ]
    found["place"] = found["group"].map(list(GROUPS).index)
    return found.sort_values(["place", "table"]).reset_index(drop=True)


def columns() -> pd.DataFrame:
    """A row per column: table, name, type and comment, in order."""
    return query(
        """
        select table_name as "table", column_name as "column", data_type as "type", comment
        from duckdb_columns()
        where not internal and schema_name = 'main' and database_name = current_database()
        order by table_name, column_index
        """
    )


def shown(found: pd.DataFrame) -> show.Shown:
    """The tables by group, each folded: its comment, and its columns.

    A link to `#table-<name>` leads inside the folded part, which browsers open for it.
    """
    of = {name: its.drop(columns="table") for name, its in columns().groupby("table")}
    parts = []
    for name, what in GROUPS.items():
        parts.append(show.text(f"### {words.capital(name)}\n\n{what}"))
        tables = found[found["group"] == name].to_dict("records")
        parts += [_entry(table, of[table["table"]], _listed(table, of)) for table in tables]
    return show.together(*parts)


def _listed(table: dict, of: dict[str, pd.DataFrame]) -> str:
    """The columns of a table; of a view with those of a table, its name and other comments."""
    its, remark = of[table["table"]].to_dict("records"), ""
    for name, others in of.items() if table["view"] else ():
        kinds = [others[key].tolist() == of[table["table"]][key].tolist() for key in KIND]
        if name != table["table"] and all(kinds):
            link = f'<a href="#table-{name}"><code>{name}</code></a>'
            remark = f"<p>Its columns are those of {link}. Other comments:</p>"
            its = [one for one in its if one not in others.to_dict("records")]
    # without optional end tags, to keep hundreds of columns small
    listed = "\n".join(
        f"<dt>{escape(row['column'])} <i>{escape(row['type'])}</i><dd>{_code(row['comment'])}"
        for row in its
    )
    return f'{remark}<dl class="columns">\n{listed}\n</dl>'


def _entry(table: dict, its: pd.DataFrame, listed: str) -> show.Shown:
    name = table["table"]
    comment = "no comment" if words.missing(table["comment"]) else table["comment"]
    size = f"{words.count(table['rows'], 'row')}, {words.count(len(its), 'column')}"
    gist = _gist(comment)
    whole = "" if gist == comment.rstrip(".") else f"<p>{_code(comment)}.</p>\n"
    return show.html(
        '<details class="fold">\n'
        f"<summary><code>{escape(name)}</code> <small>{size}</small> {_code(gist)}</summary>\n"
        f'<div id="table-{escape(name)}">{whole}{listed}\n'
        + show.sources(name, f'select * from "{name}" limit 100')
        + "</div></details>"
    )


def _gist(comment: str) -> str:
    """The start of a comment, up to its first colon, semicolon or full stop."""
    ends = [at for mark in (": ", "; ", ". ") if (at := comment.find(mark)) > 0]
    return comment[: min(ends, default=len(comment))]


def _code(comment: str) -> str:
    """A plain-text comment as HTML."""
    return escape(comment, quote=False).rstrip(".")
