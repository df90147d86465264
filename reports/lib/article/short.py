"""In short: how many of an article's figures and conclusions were reproduced."""

import pandas as pd

from lib import status, words
from lib.article import conclusions
from lib.database import query

JUDGED = ["reproduced", "faster", "slower", "depends on the statistic", "inconclusive"]
DECIDED = ["supported", "contradicted"]


def agreement(article: str) -> str:
    """Markdown bullets: its conclusions by its own figures, then both by measurements on Macs."""
    return f"- {_conclusions(article)}\n- {_measured(article)}"


def _conclusions(article: str) -> str:
    rows = conclusions.evidence(article)
    published = rows[rows["basis"] == "published"].drop_duplicates(["number", "outcome"])
    drawn = words.count(rows["number"].nunique(), "conclusion")
    if not published["outcome"].isin(DECIDED).any():
        return f"The article\u2019s own figures decide **none of its {drawn}**."
    outcomes = words.listed(_parts(published, [*DECIDED, "undecided"]))
    return f"**Its {drawn}**, tested by its own figures: {outcomes}."


def _measured(article: str) -> str:
    """Its speeds and conclusions under the newest release of each measured Mac or guest."""
    speeds = query(
        """
        select *, measured_release_number as release_number
        from comparable_article
        where article = $article and published_gbps is not null
        order by table_order, op, measured_host nulls first, measured_release nulls first
        """,
        article=article,
    )
    total = len(speeds.drop_duplicates(["table_order", "op"]))
    judged = speeds[speeds["verdict"].isin(JUDGED)]
    every = conclusions.evidence(article)
    ours = every[(every["basis"] == "measured") & every["outcome"].isin(DECIDED)]
    ours = ours.rename(columns={"release": "measured_release"})
    machines = [
        *_counts(judged, JUDGED, "verdict", total, "speed"),
        *_counts(ours, DECIDED, "outcome", every["number"].nunique(), "conclusion"),
    ]
    if not machines:
        return status.no_mac() or "**Measured again**: no figure has a verdict yet."
    return f"**Measured again**: {'; '.join(machines)}."


def _counts(rows: pd.DataFrame, names: list[str], column: str, total: int, what: str) -> list[str]:
    """Of each machine's newest release: how many have each verdict, and how many have none."""
    newest = rows.groupby("measured_host")["release_number"].transform("max")
    groups = rows[rows["release_number"] == newest].groupby(["measured_host", "measured_release"])
    return [
        f"{words.machine(host, release, by=group['vouched_by'])}: of {words.count(total, what)}, "
        + words.listed([*_parts(group, names, column), *_without(total - len(group))])
        for (host, release), group in groups
    ]


def _without(count: int) -> list[str]:
    return [f"{count} without a verdict"] if count else []


def _parts(rows: pd.DataFrame, names: list[str], column: str = "outcome") -> list[str]:
    counts = rows[column].value_counts()
    return [f"{counts[name]} {_agreed(name, counts[name])}" for name in names if name in counts]


def _agreed(name: str, count: int) -> str:
    """A verdict that agrees with its count: `1 depends on ...`, `2 depend on ...`."""
    return name if count == 1 else name.replace("depends", "depend")
