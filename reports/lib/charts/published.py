"""Charts of what the articles state."""

import altair as alt
import pandas as pd

from lib import theme, words
from lib.charts.parts import ORDER, SPEED, few, finish, labels, only


def encryption_cost(
    rows: pd.DataFrame, value: str, title: str, description: str, top: float
) -> alt.LayerChart:
    """Speed by format, one bar for each encryption, with the figure at its end.

    Rows: of `published_speed`; `value` is its column in GB/s, shown with the digits printed.
    """
    rows = rows.dropna(subset=[value]).assign(
        kind=lambda table: table["format"].map(lambda slug: words.name(words.FORMATS, slug)),
        speed=lambda table: table[value],
        figure=lambda table: table[value.replace("_gbps", "_as_printed")],
    )
    kinds = [words.name(words.FORMATS, slug) for slug in ORDER if slug in set(rows["format"])]
    base = alt.Chart(only(rows, "kind", "encryption", "speed", "figure", "macos", "quote")).encode(
        x=alt.X("speed:Q", title=SPEED, scale=alt.Scale(domain=[0, top]), axis=few(5)),
        y=alt.Y("kind:N", title=None, sort=kinds, axis=alt.Axis(labelLimit=150)),
        yOffset=alt.YOffset(
            "encryption:N",
            sort=list(theme.ENCRYPTION),
        ),
    )
    bars = base.mark_bar(cornerRadiusEnd=2, height=theme.BAR).encode(
        color=alt.Color(
            "encryption:N",
            title=None,
            scale=theme.colours(theme.ENCRYPTION, list(rows["encryption"])),
            legend=alt.Legend(labelExpr=labels(words.ENCRYPTIONS)),
        ),
        tooltip=[
            alt.Tooltip("kind:N", title="format"),
            alt.Tooltip("encryption:N"),
            alt.Tooltip("figure:N", title=SPEED),
            alt.Tooltip("macos:N", title="macOS"),
            alt.Tooltip("quote:N"),
        ],
    )
    figures = base.mark_text(align="left", dx=5, fontSize=12).encode(text=alt.Text("figure:N"))
    height = len(kinds) * (theme.ROW * rows["encryption"].nunique() + theme.GAP)
    return finish(bars + figures, title, description, height)


def by_phase(rows: pd.DataFrame, value: str, title: str, description: str) -> alt.LayerChart:
    """Speed by state of use, one line for each format, named at its end."""
    phases = [words.PHASES[slug] for slug in ("fresh", "partly-filled", "emptied")]
    rows = rows.dropna(subset=[value]).assign(
        kind=lambda table: table["format"].map(lambda slug: words.name(words.FORMATS, slug)),
        state=lambda table: table["phase"].map(lambda slug: words.name(words.PHASES, slug)),
        speed=lambda table: table[value],
    )
    kinds = [words.name(words.FORMATS, slug) for slug in ORDER if slug in set(rows["format"])]
    base = alt.Chart(only(rows, "kind", "state", "speed", "quote")).encode(
        x=alt.X("state:O", sort=phases, title=None, axis=alt.Axis(labelAngle=0, grid=False)),
        y=alt.Y("speed:Q", title=SPEED, scale=alt.Scale(domainMin=0), axis=few(5)),
        color=alt.Color("kind:N", title=None, scale=alt.Scale(domain=kinds, range=theme.SERIES)),
    )
    marks = base.mark_line(strokeWidth=2) + base.mark_point(filled=True, size=70, opacity=1).encode(
        tooltip=[
            alt.Tooltip("kind:N", title="format"),
            alt.Tooltip("state:N"),
            alt.Tooltip("speed:Q", title=SPEED, format=".2f"),
            alt.Tooltip("quote:N"),
        ]
    )
    return finish(marks, title, description, 230)
