"""The first sentences of the page: changes in the newest release."""

import pandas as pd

from lib import rules, show, status, words
from lib.database import query
from lib.releases import pair


def shown(changed: pd.DataFrame, printed: pd.DataFrame) -> show.Shown:
    """Changes in the newest release, measured, then published."""
    parts = [_measured(changed), _published(printed)]
    return show.text(words.joined(parts, "\n\n") or "No two releases are known yet.")


def _measured(changed: pd.DataFrame) -> str:
    if changed.empty:
        return _one_release()
    newest = changed.iloc[0]
    rows = changed[
        (changed["later_release"] == newest["later_release"])
        & (changed["earlier_release"] == newest["earlier_release"])
    ]
    return f"**{pair.summary(rows)}**"


def _one_release() -> str:
    """Why no measured figures can be compared."""
    measured = query("select distinct host, release, vouched_by from comparable_speed order by all")
    if measured.empty:
        return status.no_mac()
    told = [
        words.machine(row.host, row.release, by=[row.vouched_by]) for row in measured.itertuples()
    ]
    return (
        f"**One release measured ({'; '.join(told)}), nothing to compare yet**: after an "
        "update the same command measures the new one and leaves the old one alone."
    )


def _published(printed: pd.DataFrame) -> str:
    """What the printed figures say of each pair of releases, the newest first."""
    told, least = [], rules.notable()
    for (earlier, later), rows in printed.groupby(["earlier_macos", "later_macos"], sort=False):
        less, more = rows[rows["ratio"] < 1 - least], rows[rows["ratio"] > 1 + least]
        parts = [
            f"{len(part)} {word} ({words.listed([_step(row) for row in part.to_dict('records')])})"
            for part, word in ((less, "fell"), (more, "rose"))
            if len(part)
        ]
        same = len(rows) - len(less) - len(more)
        parts += [f"{same} changed by at most {words.percent(least)}"] if same else []
        told.append(f"from {earlier} to {later}, {words.listed(parts)}")
    if not told:
        return ""
    return f"Of the speeds that the articles state: {'; '.join(told)}. Caveats are below."


def _step(row: dict) -> str:
    name = words.short(row["format"])
    coded = "" if row["encryption"] == "none" else f" {row['encryption']}"
    return (
        f"{name}{coded} {row['op']} {row['earlier_as_printed']} to {row['later_as_printed']} "
        f"{row['later_unit_as_printed']}"
    )
