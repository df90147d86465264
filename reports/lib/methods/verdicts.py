"""The rules of verdicts and their tolerances."""

from typing import Any

import pandas as pd

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
    """How two figures are compared: the comments of the tables that do it, word for word."""
    comments = query(
        """
        select table_name as "table", comment
        from duckdb_tables()
        where database_name = current_database()
        """
    ).set_index("table")["comment"]
    lines = [
        {
            "what": title,
            "table": tables.link(name, f"data.html#table-{name}"),
            "rule": f"“{comments[name]}”",
        }
        for name, title in COMPARISONS.items()
        if name in comments.index
    ]
    return tables.table(
        lines,
        {
            "what": "Compared",
            "table": "Table",
            "rule": "Its rule, from the comment of the table",
        },
        "The rules of every comparison",
        name="rules",
    )


def tolerances() -> show.Shown:
    """Every rule of a verdict with its tolerance and reason, as `verdict_rule` has them."""
    lines = [
        {
            "comparison": row.comparison
            if " " in row.comparison
            else tables.link(row.comparison, f"data.html#table-{row.comparison}"),
            "rule": row.rule,
            "condition": row.condition,
            "tolerance": _tolerance(row),
            "reason": row.reason,
            "source": words.told(row.source, ""),
            "set": words.day(row.set_on),
        }
        for row in query("select * from verdict_rule order by comparison, rule").itertuples()
    ]
    return tables.table(
        lines,
        {
            "comparison": "Table",
            "rule": "Rule",
            "condition": "In words",
            "tolerance": "Tolerance",
            "reason": "Why",
            "source": "Source",
            "set": "Set on",
        },
        "The rules of verdicts and their tolerances",
        numbers=["tolerance"],
        name="tolerances",
        classes="wide",
    )


def _tolerance(row: Any) -> str:
    """A share in percent; runs are counted."""
    if pd.isna(row.tolerance):
        return ""
    if row.rule == "runs":
        return f"{row.tolerance:.0f}"
    return words.percent(row.tolerance)
