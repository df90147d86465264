"""The bars of all hosts, with what they show for a title."""

import pandas as pd

from lib import charts, show
from lib.fleet import due, standing


def shown(rows: pd.DataFrame) -> show.Shown | None:
    """The chart; nothing for a single host, whose bar says no more than the sentence above."""
    counts = due.counted(rows)
    hosts = counts["host"].nunique()
    if hosts < 2:
        return None
    todo = counts[counts["state"].isin([*standing.DUE, "failed"])]
    title = (
        f"{todo['host'].nunique()} of {hosts} hosts not complete"
        if len(todo)
        else f"All {hosts} hosts: nothing to do"
    )
    return show.chart(
        "chart-fleet",
        charts.by_state(counts, title, "Bars: cells of each host by state, newest release"),
        "Cells of each host under its newest release; the host with the most cells not measured "
        "comes first.",
        rows="""
            select host, state, count(*) as cells
            from host_cell
            where newest
            group by all
            order by all
        """,
    )
