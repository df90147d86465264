"""A chart of speeds by round."""

import altair as alt
import pandas as pd

from lib import theme
from lib.charts.parts import SPEED, few, finish, only


def by_round(rows: pd.DataFrame, title: str, description: str) -> alt.LayerChart:
    """Speed by round, a line for each image.

    Rows: of `round_speed`, with `image` in words.
    """
    images = list(dict.fromkeys(rows["image"]))
    rows = rows.assign(speed=rows["total_gbps"])
    base = alt.Chart(only(rows, "image", "round", "speed", "files")).encode(
        x=alt.X("round:O", title="round", axis=alt.Axis(labelAngle=0, grid=False)),
        y=alt.Y("speed:Q", title=SPEED, scale=alt.Scale(domainMin=0), axis=few(5)),
        color=alt.Color(
            "image:N",
            title=None,
            scale=alt.Scale(domain=images, range=theme.SERIES),
            legend=alt.Legend(columns=1, labelLimit=300),
        ),
    )
    marks = base.mark_line(strokeWidth=2) + base.mark_point(filled=True, size=70, opacity=1).encode(
        tooltip=[
            alt.Tooltip("image:N", title="image"),
            alt.Tooltip("round:O"),
            alt.Tooltip("speed:Q", title=SPEED, format=".3g"),
            alt.Tooltip("files:Q", title="n (files)"),
        ]
    )
    return finish(marks, title, description, 200)
