"""Charts of the single files of a cell, and the spread of their rates.

Charts of files take rows with the columns of `COLUMNS`; the rate is MB / ms, which is GB/s.
"""

import altair as alt
import numpy as np
import pandas as pd

from lib import theme, words
from lib.charts.parts import SPEED, few, finish, only, powers, shapes, told

HEIGHT = 260
STEPS = 24  # points of a fitted curve: enough to look smooth on logarithmic axes
RATE = "datum.mb / datum.ms"  # 1 MB in 1 ms is 1 GB/s


def against_size(rows: pd.DataFrame, fits: pd.DataFrame, title: str, description: str):
    """Time of each file against its size with the fitted line, logarithmic scales.

    `fits`: a row each direction with `theil_sen_gbps`, `intercept_ns` and those of the interval.
    """
    curves = pd.concat([_curve(fit, rows["mb"]) for fit in fits.to_dict("records")])
    size = alt.X("mb:Q", title="size (MB)", scale=alt.Scale(type="log"), axis=powers())
    time = alt.Scale(type="log")
    either = {"x": size, "color": _direction(rows)}
    bands = curves.dropna(subset=["low", "high"])
    band = (
        alt.Chart(bands)
        .mark_area(opacity=0.22, aria=False)
        .encode(**either, y=alt.Y("low:Q", scale=time), y2=alt.Y2("high:Q"))
    )
    lines = curves.dropna(subset=["fit"])
    line = (
        alt.Chart(lines)
        .mark_line(strokeWidth=1.5, aria=False)
        .encode(**either, y=alt.Y("fit:Q", scale=time))
    )
    points = _points(rows).encode(
        x=size,
        y=alt.Y("ms:Q", title="time (ms)", scale=time, axis=powers()),
        tooltip=TOOLTIP,
    )
    fits = [layer for layer, known in ((band, bands), (line, lines)) if len(known)]
    layers = alt.layer(*fits, points, *_rings(rows, size, alt.Y("ms:Q")))
    return finish(layers, title, description, HEIGHT)


def _curve(fit: dict, sizes: pd.Series) -> pd.DataFrame:
    """Time (ms) by size (MB) of the fitted line, and of both ends of the slope's interval.

    Times of zero or less are left out: a logarithmic axis cannot show them.
    """
    mb = np.geomspace(sizes.min(), sizes.max(), STEPS)
    curve = {"op": fit["op"], "mb": mb.round(5)}
    for name, end in (
        ("fit", ""),
        ("high", "_low"),
        ("low", "_high"),
    ):  # the fast end of the interval is the short time
        speed, cost = fit[f"theil_sen_gbps{end}"], fit[f"intercept{end}_ns"]
        if words.missing(speed) or words.missing(cost):
            curve[name] = np.nan
        else:
            ms = cost / 1e6 + mb / speed
            curve[name] = [float(f"{value:.5g}") if value > 0 else np.nan for value in ms]
    return pd.DataFrame(curve)


def by_size(rows: pd.DataFrame, title: str, description: str):
    """The rate of each file by size, a column of points each; lines join the medians."""
    size = alt.X("mb:Q", title="size (MB)", scale=alt.Scale(type="log"), axis=powers())
    points = _points(rows).encode(
        x=size,
        y=alt.Y("rate:Q", title=SPEED, scale=alt.Scale(domainMin=0), axis=few(5)),
        tooltip=TOOLTIP,
    )
    medians = (
        alt.Chart(only(rows, *COLUMNS))
        .transform_calculate(rate=RATE)
        .transform_aggregate(rate="median(rate)", groupby=["op", "mb"])
        .mark_line(strokeWidth=1.5, aria=False)
        .encode(x=size, y=alt.Y("rate:Q"), color=_direction(rows))
    )
    layers = alt.layer(medians, points, *_rings(rows, size, alt.Y("rate:Q")))
    return finish(layers, title, description, HEIGHT)


def by_position(rows: pd.DataFrame, title: str, description: str):
    """The rate of each file by its position in the pass, as a share of the median of its size.

    The steps are the medians of the sets.
    """
    place = alt.X("order:Q", title="position in the pass", axis=few(8), scale=alt.Scale(nice=False))
    share = alt.Y(
        "share:Q",
        title="rate / median of its size",
        scale=alt.Scale(type="log"),
        axis=alt.Axis(values=[0.01, 0.03, 0.1, 0.3, 0.5, 1, 2, 3, 10, 30, 100], format="~g"),
    )
    points = _points(rows).encode(
        x=place,
        y=share,
        tooltip=[
            alt.Tooltip("op:N"),
            alt.Tooltip("order:Q", title="file"),
            alt.Tooltip("set:Q"),
            alt.Tooltip("share:Q", title="rate / median of its size", format=".3f"),
        ],
    )
    sets = (
        alt.Chart(only(rows, *COLUMNS))
        .transform_aggregate(share="median(share)", middle="mean(order)", groupby=["op", "set"])
        .mark_line(strokeWidth=2.5, aria=False)
        .encode(x=alt.X("middle:Q"), y=alt.Y("share:Q"), color=_direction(rows))
    )
    layers = alt.layer(points, *_rings(rows, place, share), sets)
    return finish(layers, title, description, HEIGHT)


def spread(measured: pd.DataFrame, published: pd.DataFrame, title: str, description: str):
    """The spread of the rates of each cell's files, a line each, with published ranges.

    `measured`: `what`, `op`, `files` and the columns of `file_summary`; `published`: `what`, `op`,
    `low`, `high`, `quote`.
    """
    whats = list(dict.fromkeys([*published["what"], *measured["what"]]))
    axis = {"title": SPEED, "scale": alt.Scale(type="log"), "axis": powers()}
    rate = alt.X("min_gbps:Q", **axis)
    place = {
        "y": alt.Y(
            "what:N",
            title=None,
            sort=whats,
            scale=alt.Scale(paddingInner=0.5, paddingOuter=0.4),
            axis=alt.Axis(
                # the machine above its cell: in one line a phone cuts them
                labelExpr="split(datum.label, ': ')",
                labelAlign="left",
                labelBaseline="bottom",
                labelPadding=0,
                labelOffset=-25,
                labelLimit=900,
            ),
        ),
        "yOffset": alt.YOffset("op:N", sort=list(words.VERBS)),
    }
    both = pd.concat([measured[["op"]], published[["op"]]])
    colour = _direction(both)
    columns = ("what", "op", "files", "min_gbps", "p5_gbps", "median_gbps", "p95_gbps", "max_gbps")
    base = alt.Chart(only(measured, *columns)).encode(**place, color=colour)
    tooltip = [
        alt.Tooltip("what:N", title="cell"),
        alt.Tooltip("op:N"),
        alt.Tooltip("files:Q", title="n (files)"),
        *(
            alt.Tooltip(f"{name}_gbps:Q", title=title, format=".3g")
            for name, title in (
                ("min", "slowest file (GB/s)"),
                ("p5", "5 %"),
                ("median", "median"),
                ("p95", "95 %"),
                ("max", "fastest file"),
            )
        ),
    ]
    layers = (
        []
        if measured.empty
        else [
            base.mark_rule(strokeWidth=1, aria=False).encode(x=rate, x2=alt.X2("max_gbps:Q")),
            base.mark_rule(strokeWidth=5, opacity=0.45, aria=False).encode(
                x=alt.X("p5_gbps:Q"), x2=alt.X2("p95_gbps:Q")
            ),
            base.mark_point(filled=True, size=70, opacity=1).encode(
                x=alt.X("median_gbps:Q"),
                shape=_shape(both),
                tooltip=tooltip,
                description=told(
                    "{what}, {op}: median of {files} files {median_gbps:.3g} GB/s, "
                    "90 % of them {p5_gbps:.3g} to {p95_gbps:.3g}"
                ),
            ),
        ]
    )
    if len(published):
        stated = alt.Chart(only(published, "what", "op", "low", "high", "quote"))
        stated = stated.encode(**place, color=colour)
        quoted = ["what:N", "op:N", "low:Q", "high:Q", "quote:N"]
        layers.append(
            stated.mark_rule(strokeWidth=1, strokeDash=[4, 3], aria=False).encode(
                x=alt.X("low:Q", **axis), x2=alt.X2("high:Q")
            )
        )
        layers += [
            stated.mark_point(shape="diamond", filled=False, size=80, strokeWidth=1.6).encode(
                x=f"{end}:Q",
                tooltip=quoted,
                description=told("{what}, {op}, published: {low} to {high} GB/s"),
            )
            for end in ("low", "high")
        ]
    return finish(alt.layer(*layers), title, description, len(whats) * theme.CELL + 16)


# the same rows in each chart of a cell, so that the page contains them once
COLUMNS = ("op", "order", "set", "mb", "ms", "share", "outlier")
TOOLTIP = [
    alt.Tooltip("op:N"),
    alt.Tooltip("order:Q", title="file"),
    alt.Tooltip("mb:Q", title="MB", format=",.3~f"),
    alt.Tooltip("ms:Q", title="ms", format=",.4~g"),
    alt.Tooltip("rate:Q", title=SPEED, format=".3g"),
    alt.Tooltip("outlier:N", title="outlier"),
]


def _points(rows: pd.DataFrame) -> alt.Chart:
    return (
        alt.Chart(only(rows, *COLUMNS))
        .transform_calculate(rate=RATE)
        # hundreds of files, which nobody wants to hear one by one
        .mark_point(filled=True, size=22, opacity=0.5, aria=False)
        .encode(color=_direction(rows), shape=_shape(rows))
    )


def _rings(rows: pd.DataFrame, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """A ring around each outlier; no layer without any, as one of no rows has no scale."""
    if not rows["outlier"].any():
        return []
    rings = (
        alt.Chart(only(rows, *COLUMNS))
        .transform_filter("datum.outlier")
        .transform_calculate(rate=RATE)
        .mark_point(filled=False, size=110, strokeWidth=1.4, aria=False)
        .encode(x=x, y=y, color=_direction(rows))
    )
    return [rings]


LEGEND = alt.Legend(symbolOpacity=1)


def _direction(rows: pd.DataFrame) -> alt.Color:
    scale = theme.colours(theme.OPERATION, list(rows["op"]))
    return alt.Color("op:N", title=None, scale=scale, legend=LEGEND)


def _shape(rows: pd.DataFrame) -> alt.Shape:
    scale = theme.colours(theme.OPERATION, list(rows["op"]))
    return shapes("op", scale["domain"], LEGEND, theme.OPERATION)
