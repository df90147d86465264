"""Every single file of a cell."""

import altair as alt
import pandas as pd

from lib import theme
from lib.charts.parts import SPEED, finish, only, powers


def files(rows: pd.DataFrame, title: str, description: str) -> alt.Chart:
    """Time of each file against its size, both on logarithmic scales.

    Rows: of `sample`, with `what`, the words that name the cell.
    """
    rows = rows.assign(
        mb=lambda table: table["size_bytes"] / 1e6,
        ms=lambda table: table["elapsed_ns"] / 1e6,
        rate=lambda table: table["size_bytes"] / table["elapsed_ns"],
    )
    order = list(dict.fromkeys(rows["what"]))
    chart = (
        alt.Chart(only(rows, "what", "order", "mb", "ms", "rate").round(5))
        .mark_point(filled=True, size=26, opacity=0.6)
        .encode(
            x=alt.X("mb:Q", title="size (MB)", scale=alt.Scale(type="log"), axis=powers()),
            y=alt.Y("ms:Q", title="time (ms)", scale=alt.Scale(type="log"), axis=powers()),
            color=alt.Color(
                "what:N",
                title=None,
                scale=alt.Scale(domain=order, range=theme.SERIES),
                legend=alt.Legend(columns=1, labelLimit=300),
            ),
            tooltip=[
                alt.Tooltip("what:N", title="cell"),
                alt.Tooltip("order:Q", title="file"),
                alt.Tooltip("mb:Q", title="MB", format=",.3~f"),
                alt.Tooltip("ms:Q", title="ms", format=",.3~f"),
                alt.Tooltip("rate:Q", title=SPEED, format=".2f"),
            ],
        )
    )
    return finish(chart, title, description, 260)
