"""The charts. Each takes rows of the database and gives an Altair chart as wide as the page.

Intervals are columns of the database, drawn as rules: Vega's own are random and differ each time.
"""

import altair as alt
import pandas as pd

from lib import theme, words

SPEED = "GB/s"
ORDER = ["UDSB", "UDRW", "ASIF", "UDSP", "VM", "native", "unstated"]


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
    base = alt.Chart(_only(rows, "kind", "encryption", "speed", "figure", "macos", "quote")).encode(
        x=alt.X("speed:Q", title=SPEED, scale=alt.Scale(domain=[0, top]), axis=_few(5)),
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
            legend=alt.Legend(labelExpr=_labels(words.ENCRYPTIONS)),
        ),
        tooltip=[
            alt.Tooltip("kind:N", title="format"),
            "encryption:N",
            alt.Tooltip("figure:N", title=SPEED),
            alt.Tooltip("macos:N", title="macOS"),
            "quote:N",
        ],
    )
    figures = base.mark_text(align="left", dx=5, fontSize=12).encode(text="figure:N")
    height = len(kinds) * (theme.ROW * rows["encryption"].nunique() + theme.GAP)
    return _finish(bars + figures, title, description, height)


def by_phase(rows: pd.DataFrame, value: str, title: str, description: str) -> alt.LayerChart:
    """Speed by state of use, one line for each format, named at its end."""
    phases = [words.PHASES[slug] for slug in ("fresh", "partly-filled", "emptied")]
    rows = rows.dropna(subset=[value]).assign(
        kind=lambda table: table["format"].map(lambda slug: words.name(words.FORMATS, slug)),
        state=lambda table: table["phase"].map(lambda slug: words.name(words.PHASES, slug)),
        speed=lambda table: table[value],
    )
    kinds = [words.name(words.FORMATS, slug) for slug in ORDER if slug in set(rows["format"])]
    base = alt.Chart(_only(rows, "kind", "state", "speed", "quote")).encode(
        x=alt.X("state:O", sort=phases, title=None, axis=alt.Axis(labelAngle=0, grid=False)),
        y=alt.Y("speed:Q", title=SPEED, scale=alt.Scale(domainMin=0), axis=_few(5)),
        color=alt.Color("kind:N", title=None, scale=alt.Scale(domain=kinds, range=theme.SERIES)),
    )
    marks = base.mark_line(strokeWidth=2) + base.mark_point(filled=True, size=70, opacity=1).encode(
        tooltip=[
            alt.Tooltip("kind:N", title="format"),
            "state:N",
            alt.Tooltip("speed:Q", title=SPEED, format=".2f"),
            "quote:N",
        ]
    )
    return _finish(marks, title, description, 230)


def measured(rows: pd.DataFrame, title: str, description: str) -> alt.LayerChart:
    """Measured speeds with their 95 % intervals, one line for each cell.

    Rows: of `measured_speed`, with `what`, the words that name the cell on the axis.
    """
    rows = _with_intervals(rows)
    order = list(dict.fromkeys(rows["what"]))
    shown = _only(rows, "what", "op", "speed", "low", "high", "range", "files", "scale")
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
        x=alt.X("low:Q", title=SPEED, scale=alt.Scale(domainMin=0), axis=_few(6)), x2="high:Q"
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
    return _finish(intervals + points, title, description, len(order) * theme.CELL)


def by_image(rows: pd.DataFrame, title: str, description: str, top: float) -> alt.LayerChart:
    """Measured speeds of one driver in one direction: a group an image, a line for each state.

    Rows: of `measured_speed`, with `image` and `state` in words, and `memory` where a speed may be
    memory's: such points are hollow. `top` is the end of the axis.
    """
    rows = _with_intervals(rows)
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
        _only(rows, "image", "state", "speed", "low", "high", "range", "files", "scale", "memory")
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
        x=alt.X("low:Q", title=SPEED, scale=alt.Scale(domain=[0, top]), axis=_few(5)), x2="high:Q"
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
    return _finish(intervals + points, title, description, height)


def by_round(rows: pd.DataFrame, title: str, description: str) -> alt.LayerChart:
    """Speed of one round after the other, a line for each image.

    Rows: of `round_speed`, with `image` in words.
    """
    images = list(dict.fromkeys(rows["image"]))
    rows = rows.assign(speed=rows["total_gbps"])
    base = alt.Chart(_only(rows, "image", "round", "speed", "files")).encode(
        x=alt.X("round:O", title="round", axis=alt.Axis(labelAngle=0, grid=False)),
        y=alt.Y("speed:Q", title=SPEED, scale=alt.Scale(domainMin=0), axis=_few(5)),
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
            "round:O",
            alt.Tooltip("speed:Q", title=SPEED, format=".3g"),
            alt.Tooltip("files:Q", title="n (files)"),
        ]
    )
    return _finish(marks, title, description, 200)


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
        alt.Chart(_only(rows, "what", "order", "mb", "ms", "rate").round(5))
        .mark_point(filled=True, size=26, opacity=0.6)
        .encode(
            x=alt.X("mb:Q", title="size (MB)", scale=alt.Scale(type="log"), axis=_powers()),
            y=alt.Y("ms:Q", title="time (ms)", scale=alt.Scale(type="log"), axis=_powers()),
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
    return _finish(chart, title, description, 260)


def _with_intervals(rows: pd.DataFrame) -> pd.DataFrame:
    """The headline of each row that has one as `speed`, its interval, and that in words."""
    return rows.dropna(subset=["theil_sen_gbps"]).assign(
        speed=lambda table: table["theil_sen_gbps"],
        # an interval that is open above ends at the figure and says so in the tooltip
        low=lambda table: table["theil_sen_gbps_low"].fillna(table["theil_sen_gbps"]),
        high=lambda table: table["theil_sen_gbps_high"].fillna(table["theil_sen_gbps"]),
        range=lambda table: [
            words.interval(low, high)
            for low, high in zip(
                table["theil_sen_gbps_low"], table["theil_sen_gbps_high"], strict=True
            )
        ],
    )


def _finish(chart: alt.TopLevelMixin, title: str, description: str, height: object):
    return chart.properties(title=title, description=description, width="container", height=height)


def _only(rows: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """The columns that the chart needs: what stands in the page is kept small."""
    return rows[[column for column in columns if column in rows]]


def _few(ticks: int) -> alt.Axis:
    return alt.Axis(tickCount=ticks)


def _powers() -> alt.Axis:
    """Plain numbers at the powers of ten, nothing between."""
    powers = [10.0**power for power in range(-4, 6)]
    return alt.Axis(values=powers, format=",~g", tickCount=6)


def _labels(names: dict[str, str]) -> str:
    """A Vega expression that writes slugs in words."""
    known = ", ".join(f"'{slug}': '{name}'" for slug, name in names.items())
    return f"({{{known}}})[datum.label] || datum.label"
