"""What images take on disk."""

import altair as alt
import pandas as pd

from lib import theme
from lib.charts.parts import finish, only, powers

MB = "MB on disk"


def beside(rows: pd.DataFrame, title: str, description: str) -> alt.LayerChart:
    """Sizes that articles state (hollow diamonds) and measured ones (circles), a line each image.

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
    marks = {"shape": {"published": "diamond", "measured": "circle"}}
    kinds = [kind for kind in marks["shape"] if kind in set(rows["basis"])]
    legend = alt.Legend(columns=2, symbolOpacity=1)
    shape = alt.Shape(
        "basis:N",
        title=None,
        legend=legend,
        scale=alt.Scale(domain=kinds, range=[marks["shape"][kind] for kind in kinds]),
    )
    colour = alt.Color(
        "basis:N",
        title=None,
        legend=legend,
        scale=alt.Scale(
            domain=kinds,
            range=[
                {"published": theme.SERIES[1], "measured": theme.SERIES[0]}[kind] for kind in kinds
            ],
        ),
    )
    measured = base.transform_filter("datum.basis == 'measured'").mark_point(
        filled=True, size=60, opacity=0.65
    )
    published = base.transform_filter("datum.basis == 'published'").mark_point(
        filled=False, size=110, strokeWidth=2, opacity=1
    )
    of = {"measured": measured, "published": published}
    layers = [of[kind].encode(shape=shape, color=colour) for kind in of if kind in kinds]
    return finish(alt.layer(*layers), title, description, len(whats) * 24 + 10)


def by_state(rows: pd.DataFrame, title: str, description: str) -> alt.Chart:
    """Size on disk from state to state, a line for each image, logarithmic scale.

    Rows: `image`, `state` (in words, in order), `mb`, `bands`.
    """
    images = list(dict.fromkeys(rows["image"]))
    states = list(dict.fromkeys(rows["state"]))
    # a telephone has no room for two names beside each other
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
            strokeDash=alt.StrokeDash(
                "image:N",
                title=None,
                legend=legend,
                scale=alt.Scale(
                    domain=images,
                    # images beyond the palette differ by their line
                    range=[[1, 0] if n < len(theme.SERIES) else [5, 3] for n in range(len(images))],
                ),
            ),
            tooltip=[
                alt.Tooltip("image:N", title="image"),
                alt.Tooltip("state:N"),
                alt.Tooltip("mb:Q", title=MB, format=",.4~g"),
                alt.Tooltip("bands:Q", title="bands, chunks", format=","),
            ],
        )
    )
    return finish(chart, title, description, 260)
