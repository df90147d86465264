"""Charts of measured speeds, with their 95 % intervals."""

import altair as alt
import pandas as pd

from lib import theme
from lib.charts.parts import SPEED, few, finish, only, with_intervals


def measured(rows: pd.DataFrame, title: str, description: str) -> alt.LayerChart:
    """Measured speeds with their 95 % intervals, one line for each cell.

    Rows: of `measured_speed`, with `what`, the words that name the cell on the axis.
    """
    rows = with_intervals(rows)
    order = list(dict.fromkeys(rows["what"]))
    shown = only(rows, "what", "op", "speed", "low", "high", "range", "files", "scale")
    base = alt.Chart(shown).encode(
        # the name of a cell stands above its points, so that points have the width of the page
        y=alt.Y(
            "what:N",
            title=None,
            sort=order,
            scale=alt.Scale(paddingInner=0.55, paddingOuter=0.4),
            axis=alt.Axis(labelAlign="left", labelPadding=0, labelOffset=-21, labelLimit=420),
        ),
        yOffset=alt.YOffset("op:N", sort=["write", "read"]),
        color=alt.Color("op:N", title=None, scale=theme.colours(theme.OPERATION, list(rows["op"]))),
    )
    intervals = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title=SPEED, scale=alt.Scale(domainMin=0), axis=few(6)), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=75, opacity=1).encode(
        x="speed:Q",
        tooltip=[
            alt.Tooltip("what:N", title="cell"),
            "op:N",
            alt.Tooltip("speed:Q", title=SPEED, format=".3g"),
            alt.Tooltip("range:N", title="95 % interval"),
            alt.Tooltip("files:Q", title="n (files)"),
            "scale:N",
        ],
    )
    return finish(intervals + points, title, description, len(order) * theme.CELL)


def by_image(rows: pd.DataFrame, title: str, description: str, top: float) -> alt.LayerChart:
    """Measured speeds of one driver in one direction: a group an image, a line for each state.

    Rows: of `measured_speed`, with `image` and `state` in words, and `memory` where a speed may be
    memory's: such points are hollow. `top` is the end of the axis.
    """
    rows = with_intervals(rows)
    images = list(dict.fromkeys(rows["image"]))
    states = [state for state in theme.STATE if state in set(rows["state"])]
    states_shown = {
        "title": None,
        "sort": states,
        "scale": theme.colours(theme.STATE, states),
        # in lines of three, which a telephone is wide enough for
        "legend": alt.Legend(columns=3),
    }
    group = theme.LINE * len(states)
    step = group + theme.HEAD
    base = alt.Chart(
        only(rows, "image", "state", "speed", "low", "high", "range", "files", "scale", "memory")
    ).encode(
        # the name of an image stands above its lines, so that they have the width of the page
        y=alt.Y(
            "image:N",
            title=None,
            sort=images,
            scale=alt.Scale(paddingInner=theme.HEAD / step, paddingOuter=theme.HEAD / step),
            axis=alt.Axis(
                labelAlign="left", labelPadding=0, labelOffset=-group / 2 - 8, labelLimit=420
            ),
        ),
        yOffset=alt.YOffset("state:N", sort=states),
        color=alt.Color("state:N", **states_shown),
    )
    intervals = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title=SPEED, scale=alt.Scale(domain=[0, top]), axis=few(5)), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=55, opacity=1, strokeWidth=1.5).encode(
        x="speed:Q",
        stroke=alt.Stroke("state:N", **states_shown),
        fillOpacity=alt.condition("datum.memory", alt.value(0), alt.value(1)),
        tooltip=[
            alt.Tooltip("image:N", title="image"),
            "state:N",
            alt.Tooltip("speed:Q", title=SPEED, format=".3g"),
            alt.Tooltip("range:N", title="95 % interval"),
            alt.Tooltip("files:Q", title="n (files)"),
            "scale:N",
        ],
    )
    height = step * len(images) + theme.HEAD
    return finish(intervals + points, title, description, height)
