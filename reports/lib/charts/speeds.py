"""Charts of measured speeds: by image with 95 % intervals across runs, and by round."""

import altair as alt
import pandas as pd

from lib import theme
from lib.charts.parts import (
    SPEED,
    few,
    finish,
    full,
    groups,
    intervals,
    only,
    shapes,
    told,
    with_intervals,
)


def by_image(rows: pd.DataFrame, title: str, description: str, top: float) -> alt.LayerChart:
    """Measured speeds of one driver in one direction: a group per image, a line per state.

    Rows: of `repeated_speed`, with `image` and `state` in words. Points are hollow where `memory`
    says that data may have come from memory. `top` is the end of the axis.
    """
    rows = with_intervals(rows)
    images = list(dict.fromkeys(rows["image"]))
    colours = theme.colours(theme.STATE, list(rows["state"]))
    states = colours["domain"]
    states_shown = {
        "title": None,
        "sort": states,
        "scale": colours,
        # assets/charts.js reduces them on narrow screens
        "legend": alt.Legend(columns=3),
    }
    group = theme.LINE * len(states)
    step = group + theme.HEAD
    base = alt.Chart(
        only(rows, "image", "state", "speed", "low", "high", "range", "runs", "scale", "memory")
    ).encode(
        y=groups("image", images, step),
        yOffset=alt.YOffset("state:N", sort=states),
        color=alt.Color("state:N", **states_shown),
    )
    points = base.mark_point(filled=True, size=55, opacity=1, strokeWidth=1.5).encode(
        x=alt.X("speed:Q"),
        stroke=alt.Stroke("state:N", **states_shown),
        shape=shapes("state", states, states_shown["legend"], theme.STATE),
        fillOpacity=full("!datum.memory"),
        description=told("{image}, {state}: {speed:.3g} GB/s ({range})"),
        tooltip=[
            alt.Tooltip("image:N", title="image"),
            alt.Tooltip("state:N"),
            alt.Tooltip("speed:Q", title=SPEED, format=".3g"),
            alt.Tooltip("range:N", title="95 % interval across runs"),
            alt.Tooltip("runs:Q", title="n (runs)"),
            alt.Tooltip("scale:N"),
        ],
    )
    height = step * len(images) + theme.HEAD
    return finish(intervals(base, SPEED, top) + points, title, description, height)


def by_round(rows: pd.DataFrame, title: str, description: str) -> alt.LayerChart:
    """Speed by round, a line for each image.

    Rows: of `round_speed`, with `image` in words.
    """
    images = list(dict.fromkeys(rows["image"]))
    rows = rows.assign(speed=rows["total_gbps"])
    legend = alt.Legend(columns=1, labelLimit=300)
    base = alt.Chart(only(rows, "image", "round", "speed", "files")).encode(
        x=alt.X("round:O", title="round", axis=alt.Axis(labelAngle=0, grid=False)),
        y=alt.Y("speed:Q", title=SPEED, scale=alt.Scale(domainMin=0), axis=few(5)),
        color=alt.Color(
            "image:N",
            title=None,
            scale=alt.Scale(domain=images, range=theme.SERIES),
            legend=legend,
        ),
    )
    marks = base.mark_line(strokeWidth=2, aria=False) + base.mark_point(
        filled=True, size=70, opacity=1
    ).encode(
        shape=shapes("image", images, legend),
        description=told("{image}, round {round}: {speed:.3g} GB/s"),
        tooltip=[
            alt.Tooltip("image:N", title="image"),
            alt.Tooltip("round:O"),
            alt.Tooltip("speed:Q", title=SPEED, format=".3g"),
            alt.Tooltip("files:Q", title="n (files)"),
        ],
    )
    return finish(marks, title, description, 200)
