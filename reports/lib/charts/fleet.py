"""The chart of the fleet: a bar for each host, its cells by state under its newest release."""

import altair as alt
import pandas as pd

from lib import theme
from lib.charts.parts import finish


def by_state(rows: pd.DataFrame, title: str, description: str) -> alt.Chart:
    """Rows: of `lib.fleet.due.counted`; hosts with most to do come first."""
    states = [state for state in theme.STANDING if state in set(rows["state"])]
    todo = rows[rows["state"] != "measured"].groupby("machine")["size"].sum()
    machines = sorted(set(rows["machine"]), key=lambda name: (-todo.get(name, 0), name))
    rows = rows.assign(place=rows["state"].map(states.index))
    chart = (
        alt.Chart(rows[["machine", "state", "size", "place"]])
        .mark_bar(height=theme.BAR)
        .encode(
            x=alt.X("size:Q", title="cells", stack="zero", axis=alt.Axis(tickMinStep=1)),
            y=alt.Y("machine:N", title=None, sort=machines, axis=alt.Axis(labelLimit=190)),
            color=alt.Color(
                "state:N", title=None, sort=states, scale=theme.colours(theme.STANDING, states)
            ),
            order=alt.Order("place:Q"),
            tooltip=[
                alt.Tooltip("machine:N", title="host"),
                "state:N",
                alt.Tooltip("size:Q", title="cells"),
            ],
        )
    )
    return finish(chart, title, description, len(machines) * (theme.ROW + 3))
