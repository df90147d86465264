"""In short: whether what was measured here agrees with an article, computed."""

import pandas as pd

from lib import reasons, words
from lib.article import conclusions
from lib.database import query

JUDGED = ["reproduced", "faster", "slower", "depends on the statistic", "inconclusive"]
DECIDED = ["supported", "contradicted"]


def agreement(article: str) -> str:
    """Two bullets of Markdown: its figures against ours, its conclusions against both."""
    return "\n".join(f"- {line}" for line in (_figures(article), _conclusions(article)) if line)


def _figures(article: str) -> str:
    rows = query(
        """
        select *, measured_release_number as release_number
        from article_table
        where article = $article and published_gbps is not null
        order by table_order, op, measured_host nulls first, measured_release nulls first
        """,
        article=article,
    )
    measured = rows[rows["measured_host"].notna()]
    total = len(rows.drop_duplicates(["table_order", "op"]))
    stated = words.count(total, "stated speed")
    if measured.empty:
        return f"**Measured here**: nothing of it yet, none of its {stated}."
    judged = measured[measured["verdict"].isin(JUDGED)]
    if judged.empty:
        return (
            f"**Measured here**: none of its {stated} on a machine and by a method that may be "
            f"compared with it ({_reasons(measured)})."
        )
    told = [
        f"{words.machine(*machine)}: {words.listed(_parts(group, JUDGED, 'verdict'))}"
        for machine, group in _newest(judged)
    ]
    older = judged.groupby(["measured_host", "measured_release"]).ngroups - len(told)
    more = f" (of {words.count(older, 'older release')}, see its tables)" if older else ""
    return f"**Measured here**, of its {stated}: {'; '.join(told)}{more}."


def _newest(rows: pd.DataFrame) -> list[tuple[tuple[str, str], pd.DataFrame]]:
    """The rows of the newest release of each machine, by machine."""
    groups = rows.groupby(["measured_host", "measured_release"])
    of_host: dict[str, tuple[tuple[str, str], pd.DataFrame]] = {}
    for key, group in sorted(groups, key=lambda pair: pair[1]["release_number"].iloc[0]):
        of_host[key[0]] = (key, group)
    return [of_host[host] for host in sorted(of_host)]


def _parts(rows: pd.DataFrame, names: list[str], column: str = "outcome") -> list[str]:
    counts = rows[column].value_counts()
    return [f"{counts[name]} {name}" for name in names if name in counts]


def _reasons(rows: pd.DataFrame) -> str:
    """The most frequent reasons why nothing may be compared."""
    said = [reasons.few(row["reasons"], row) or [row["verdict"]] for row in rows.to_dict("records")]
    counts = pd.Series(said).explode().value_counts()
    return ", ".join(sorted(counts.index[:3], key=lambda name: (-counts[name], name)))


def _conclusions(article: str) -> str:
    rows = conclusions.evidence(article)
    if rows.empty:
        return ""
    published = rows[rows["basis"] == "published"].drop_duplicates(["number", "outcome"])
    parts = _parts(published, [*DECIDED, "undecided"])
    told = f"**Of its {rows['number'].nunique()} conclusions**, by its own figures "
    told += words.listed(parts) if parts else "none is decided"
    ours = rows[(rows["basis"] == "measured") & rows["outcome"].isin(DECIDED)]
    ours = ours.rename(columns={"host": "measured_host", "release": "measured_release"})
    if ours.empty:
        return f"{told}; by what is measured here, none yet."
    newest = _newest(ours)
    own = [(key, group) for key, group in newest if key[0] in _hosts(article)]
    said = [f"{words.machine(*key)}, {words.listed(_parts(group, DECIDED))}" for key, group in own]
    others = [group for key, group in newest if key[0] not in _hosts(article)]
    if others:
        counts = [group["outcome"].value_counts() for group in others]
        spans = [f"{_span([count.get(name, 0) for count in counts])} {name}" for name in DECIDED]
        machines = words.count(len(others), "other machine" if own else "machine")
        said.append(f"{machines}, {' and '.join(spans)}")
    return f"{told}; by what is measured here: {'; '.join(said)}."


def _hosts(article: str) -> set[str]:
    """The Macs that the article itself measured."""
    rows = query(
        "select distinct host from published_speed where article = $article", article=article
    )
    return set(rows["host"])


def _span(counts: list[int]) -> str:
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low} to {high}"
