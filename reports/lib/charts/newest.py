"""The chart of the start page: each format on the newest release, plain and encrypted."""

import altair as alt
import pandas as pd

from lib import theme, words
from lib.basis import runs_of
from lib.charts.parts import ORDER, SPEED, few, finish, labels, only

PUBLISHED = ["published", "measured"]
STEP = 46  # pixels: a line with its figures
NEAR = 0.2  # of the axis: what a figure left of its point takes of it on a telephone
OFFSET = 26  # the line of the other origin below it


def by_format(
    rows: pd.DataFrame, op: str, title: str, description: str, top: float
) -> alt.LayerChart:
    """One line a format, from its encrypted to its plain speed; published and measured apart.

    Rows: of `lib.basis`; `op` is write or read, `top` the end of the axis in GB/s.
    """
    speed = f"{op}_gbps"
    rows = rows.dropna(subset=[speed]).assign(
        kind=lambda table: table["format"].map(lambda slug: words.name(words.FORMATS, slug)),
        speed=lambda table: table[speed],
        low=lambda table: table[f"{op}_low"].fillna(table[speed]),
        high=lambda table: table[f"{op}_high"].fillna(table[speed]),
        figure=lambda table: [
            words.gbps(row[speed])
            if words.missing(row[f"{op}_as_printed"])
            else row[f"{op}_as_printed"]
            for row in table.to_dict("records")
        ],
        range=lambda table: [
            words.interval(low, high) or "none stated"
            for low, high in zip(table[f"{op}_low"], table[f"{op}_high"], strict=True)
        ],
        n=lambda table: [
            "not stated" if words.missing(row["runs"]) else runs_of(pd.DataFrame([row]))
            for row in table.to_dict("records")
        ],
    )
    line = ["kind", "origin"]
    rows["from"] = rows.groupby(line)["speed"].transform("min")
    rows["to"] = rows.groupby(line)["speed"].transform("max")
    # figures stand outside: the slower one's on the left, the faster one's on the right
    rows["slower"] = (rows["speed"] == rows["from"]) & (rows["from"] < rows["to"])
    kinds = [words.name(words.FORMATS, slug) for slug in ORDER if slug in set(rows["format"])]
    origins = [origin for origin in PUBLISHED if origin in set(rows["origin"])]
    both = len(origins) > 1
    shown = only(
        rows, "kind", "encryption", "origin", "speed", "low", "high", "figure", "range", "n",
        "from", "to", "slower",
    )  # fmt: skip
    base = alt.Chart(shown).encode(
        y=alt.Y("kind:N", title=None, sort=kinds, axis=alt.Axis(labelLimit=150)),
        **({"yOffset": alt.YOffset("origin:N", sort=origins)} if both else {}),
    )
    axis = alt.X("from:Q", title=SPEED, scale=alt.Scale(domain=[0, top]), axis=few(5))
    spans = base.mark_rule(strokeWidth=2, opacity=0.35).encode(x=axis, x2="to:Q")
    colour = {
        "title": None,
        "scale": theme.colours(theme.ENCRYPTION, list(rows["encryption"])),
        "legend": alt.Legend(
            labelExpr=labels(words.ENCRYPTIONS), symbolType="square", symbolOpacity=1
        ),
    }
    intervals = base.mark_rule(strokeWidth=5, opacity=0.5).encode(
        x="low:Q", x2="high:Q", color=alt.Color("encryption:N", **colour)
    )
    points = base.mark_point(size=90, opacity=1, strokeWidth=2, filled=True).encode(
        x="speed:Q",
        color=alt.Color("encryption:N", **colour),
        stroke=alt.Stroke("encryption:N", **colour),
        fillOpacity=alt.condition("datum.origin == 'published'", alt.value(0), alt.value(1)),
        shape=alt.Shape(
            "origin:N",
            title=None,
            scale=alt.Scale(domain=origins, range=[theme.SHAPE[origin] for origin in origins]),
            legend=alt.Legend() if both else None,
        ),
        tooltip=[
            alt.Tooltip("kind:N", title="format"),
            "encryption:N",
            alt.Tooltip("figure:N", title=SPEED),
            alt.Tooltip("range:N", title="95 % interval"),
            alt.Tooltip("n:N", title="n"),
            "origin:N",
        ],
    )
    # near the axis there is no room on the left on a telephone: there it stands above
    near = f"datum.from < {NEAR * top:.6g}"
    above = base.transform_filter(f"datum.slower && {near}").mark_text(dy=-13, fontSize=12)
    left = base.transform_filter(f"datum.slower && !({near})").mark_text(
        align="right", dx=-9, fontSize=12
    )
    right = base.transform_filter("!datum.slower").mark_text(align="left", dx=9, fontSize=12)
    figures = [side.encode(x="speed:Q", text="figure:N") for side in (above, left, right)]
    height = len(kinds) * (STEP + OFFSET * (len(origins) - 1))
    chart = alt.layer(spans, intervals, points, *figures)
    return finish(chart, title, description, height)
