"""The rules of verdicts and their tolerances."""

from lib import show, tables, words
from lib.database import query

COMPARISONS = {
    "article_table": "A figure of an article and a measured one",
    "article_size_table": "A size of an article and a measured one",
    "release_change": "The same cell under two releases",
    "release_published": "Two releases in the articles\u2019 own figures",
    "encryption_cost": "Encrypted and not encrypted",
    "format_cost": "With an image and without",
    "conclusion_evidence": "What an article concludes, and what the figures say",
}


def rules() -> show.Shown:
    """How two figures are compared: the comments of the tables that compare them."""
    comments = query(
        """
        select table_name as "table", comment
        from duckdb_tables()
        where database_name = current_database()
        """
    ).set_index("table")["comment"]
    return tables.table(
        [(name, title) for name, title in COMPARISONS.items() if name in comments.index],
        [
            tables.sentence("Compared", 1),
            tables.text("Table", 0, _table),
            tables.text(
                "Its rule, from the comment of the table",
                0,
                lambda name: words.quoted(comments[name]),
            ),
        ],
        "The rules of every comparison",
        name="rules",
    )


def tolerances() -> show.Shown:
    """Every rule of a verdict with its tolerance and reason, as `verdict_rule` has them."""
    return tables.table(
        query("select * from verdict_rule order by comparison, rule").to_dict("records"),
        [
            tables.text("Table", "comparison", lambda name: name if " " in name else _table(name)),
            tables.text("Rule", "rule"),
            tables.text("In words", "condition"),
            tables.number("Tolerance", _tolerance),
            tables.text("Why", "reason"),
            tables.text("Source", "source"),
            tables.text("Set on", "set_on", words.day),
        ],
        "The rules of verdicts and their tolerances",
        name="tolerances",
        classes="wide",
    )


def _table(name: str) -> tables.Markup:
    return tables.link(name, f"data.html#table-{name}")


def _tolerance(row: dict) -> str:
    """A share in percent; runs and hours are counted."""
    if row["rule"] in ("runs", "same night"):
        return f"{row['tolerance']:.0f}"
    return words.percent(row["tolerance"])
