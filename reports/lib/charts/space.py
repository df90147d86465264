"""Charts of the allocated size of images."""

import altair as alt
import pandas as pd

from lib import theme
from lib.charts.parts import finish, only, powers, shapes, told

MB = "MB on disk"


def beside(rows: pd.DataFrame, title: str, description: str) -> alt.LayerChart:
    """Published sizes (hollow diamonds) and measured ones (circles), a line per image.

    Rows: `what` (image and state), `basis` (published or measured), `mb`, `where`, `verdict`.
    """
    whats = list(dict.fromkeys(rows["what"]))
    base = alt.Chart(only(rows, "what", "basis", "mb", "where", "verdict")).encode(
        x=alt.X("mb:Q", title=MB, scale=alt.Scale(type="log"), axis=powers()),
        y=alt.Y(
            "what:N",
            title=None,
            sort=whats,
            axis=alt.Axis(labelLimit=320),
        ),
        tooltip=[
            alt.Tooltip("what:N", title="image"),
            alt.Tooltip("basis:N", title="figure"),
            alt.Tooltip("mb:Q", title=MB, format=",.4~g"),
            alt.Tooltip("where:N"),
            alt.Tooltip("verdict:N"),
        ],
    )
    look = {
        "published": ("diamond", theme.SERIES[1], {"filled": False, "size": 110, "opacity": 1}),
        "measured": ("circle", theme.SERIES[0], {"filled": True, "size": 60, "opacity": 0.65}),
    }
    kinds = [kind for kind in look if kind in set(rows["basis"])]
    shapes, colours, marks = zip(*(look[kind] for kind in kinds), strict=True)
    either = {"title": None, "legend": alt.Legend(columns=2, symbolOpacity=1)}
    shape = alt.Shape("basis:N", **either, scale=alt.Scale(domain=kinds, range=list(shapes)))
    colour = alt.Color("basis:N", **either, scale=alt.Scale(domain=kinds, range=list(colours)))
    layers = [
        base.transform_filter(f"datum.basis == '{kind}'")
        .mark_point(strokeWidth=2, **mark)
        .encode(
            shape=shape,
            color=colour,
            description=told("{what}, {basis}: {mb:,.4~g} MB on disk"),
        )
        for kind, mark in zip(kinds[::-1], marks[::-1], strict=True)
    ]
    return finish(alt.layer(*layers), title, description, len(whats) * 30 + 10)


def by_state(rows: pd.DataFrame, title: str, description: str) -> alt.Chart:
    """Size on disk from state to state, a line for each image, logarithmic scale.

    Rows: `image`, `state` (in words, in order), `mb`, `bands`.
    """
    images = list(dict.fromkeys(rows["image"]))
    states = list(dict.fromkeys(rows["state"]))
    # two names side by side do not fit on a phone
    legend = alt.Legend(columns=2, labelLimit=300)
    chart = (
        alt.Chart(only(rows, "image", "state", "mb", "bands"))
        .mark_line(strokeWidth=2, point=alt.OverlayMarkDef(filled=True, size=60))
        .encode(
            x=alt.X(
                "state:O",
                sort=states,
                title=None,
                axis=alt.Axis(labelAngle=-30, labelLimit=260, grid=False),
            ),
            y=alt.Y("mb:Q", title=MB, scale=alt.Scale(type="log"), axis=powers()),
            color=alt.Color(
                "image:N",
                title=None,
                scale=alt.Scale(domain=images, range=theme.SERIES),
                legend=legend,
            ),
            shape=shapes("image", images, legend),
            description=told("{image}, {state}: {mb:,.4~g} MB on disk"),
            tooltip=[
                alt.Tooltip("image:N", title="image"),
                alt.Tooltip("state:N"),
                alt.Tooltip("mb:Q", title=MB, format=",.4~g"),
                alt.Tooltip("bands:Q", title="bands, chunks", format=","),
            ],
        )
    )
    return finish(chart, title, description, 260)
