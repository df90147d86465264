"""The speeds of runs that compare with nothing, by machine."""

import pandas as pd

from lib import reasons, runs, show, speeds, words


def rows() -> pd.DataFrame:
    """Speeds at smoke scale, of other systems, of our own driver and of stand-ins.

    Reads that may have come from memory are no speeds of a disk: the page of hosts lists them.
    """
    every = runs.over_runs()[runs.alone]
    memory = reasons.having(every["why_not_comparable"], "read-from-memory")
    return every[~memory]


def shown(every: pd.DataFrame) -> show.Shown | None:
    """Charts for each machine under its newest release; every cell is on the page of hosts."""
    parts = []
    for number, (host, part) in enumerate(every.groupby("host", sort=False), start=1):
        newest = part[part["release"] == part["release"].iloc[0]]
        parts.append(show.text(f"## {show.plain(words.host(host))}"))
        parts.append(speeds.machine_charts(f"chart-alone-{number}", newest))
    return show.together(*parts)
