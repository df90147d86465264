"""The first sentences of the page: changes in the newest release."""

import pandas as pd

from lib import show, status, words
from lib.database import query
from lib.releases import pair, published


def shown(changed: pd.DataFrame, printed: pd.DataFrame) -> show.Shown:
    """Changes in the newest release, measured, then published."""
    parts = [_measured(changed), published.summary(printed)]
    return show.text(words.joined(parts, "\n\n"))


def _measured(changed: pd.DataFrame) -> str:
    """What the newest release changed: machines may have got it after different ones."""
    if changed.empty:
        return _one_release()
    newest = changed[changed["later_release"] == changed["later_release"].iloc[0]]
    return f"**{words.joined(map(pair.summary, pair.with_verdicts(newest)), ' ')}**"


def _one_release() -> str:
    """Why no measured figures can be compared."""
    measured = query("select distinct host, release, vouched_by from comparable_speed order by all")
    if measured.empty:
        return status.no_mac()
    machines = [
        words.machine(row.host, row.release, by=[row.vouched_by]) for row in measured.itertuples()
    ]
    return (
        f"**No image measured under two releases yet ({'; '.join(machines)})**: after an "
        "update the same command measures the new one and leaves the old one alone."
    )
