"""A chart of the share of speed that encrypted images keep."""

import altair as alt
import pandas as pd

from lib import theme, words
from lib.charts.parts import at_one, finish, full, groups, only, shapes, told, with_ends


def kept(rows: pd.DataFrame, title: str, description: str, top: float) -> alt.LayerChart:
    """Share kept by format, a line for each machine: published hollow, measured filled.

    Rows: of `encryption_cost`, one a format, machine and basis, with `where` and `image` in words.
    A published range is a bar. `top` is the end of the axis, as a share.
    """
    rows = with_ends(rows, "ratio").assign(
        form=[_form(row) for row in rows.to_dict("records")],
        machine=[_machine(row) for row in rows.to_dict("records")],
        line=rows["where"] + rows["storage"],
        share=[_share(row) for row in rows.to_dict("records")],
        n=[_runs(row) for row in rows.to_dict("records")],
    )
    rows["place"] = rows["format"].map(list(words.FORMATS).index)
    ordered = rows.assign(other=rows["encryption"] != "AES-256").sort_values(
        ["place", "other"], kind="stable"
    )
    forms = list(dict.fromkeys(ordered["form"]))
    machines = list(dict.fromkeys(rows["machine"]))
    lines = list(dict.fromkeys(rows["line"]))
    group = theme.LINE * max(len(part["line"].unique()) for _, part in rows.groupby("form"))
    step = group + theme.HEAD
    columns = "form", "machine", "line", "where", "basis", "ratio", "low", "high", "share", "n"
    colours = {
        "title": None,
        "scale": alt.Scale(domain=machines, range=theme.SERIES),
        # a line for each part: on a phone the whole is wider than the chart
        "legend": alt.Legend(
            columns=1,
            labelExpr="split(replace(datum.label, ': ', ', '), ', ')",
            labelLimit=250,
            symbolOpacity=1,
        ),
    }
    base = alt.Chart(only(rows, *columns)).encode(
        y=groups("form", forms, step),
        yOffset=alt.YOffset("line:N", sort=lines),
        color=alt.Color("machine:N", **colours),
    )
    axis = alt.X(
        "low:Q",
        title="share of the speed kept",
        scale=alt.Scale(domain=[0, top]),
        axis=alt.Axis(format=".0%", tickCount=5),
    )
    spoken = told("{form}, {machine}: {share} of the speed kept")
    known = base.transform_filter("datum.high > datum.low")
    intervals = known.transform_filter("datum.basis == 'measured'").mark_rule(
        strokeWidth=2, aria=False, clip=True
    )
    ranges = known.transform_filter("datum.basis == 'published'").mark_rule(
        strokeWidth=6, opacity=0.45, clip=True
    )
    points = (
        base.transform_filter("isValid(datum.ratio)")
        .mark_point(size=70, opacity=1, strokeWidth=1.8)
        .encode(
            x=alt.X("ratio:Q", scale=alt.Scale(domain=[0, top])),
            shape=shapes("machine", machines, colours["legend"]),
            fill=alt.Fill("machine:N", **colours),
            fillOpacity=full("datum.basis == 'measured'"),
            tooltip=_tooltip(),
            description=spoken,
        )
    )
    layers = [
        layer.encode(x=axis, x2=alt.X2("high:Q"), tooltip=_tooltip(), description=spoken)
        for layer in (ranges, intervals)
    ]
    chart = alt.layer(at_one(), *layers, points)
    return finish(chart, title, description, step * len(forms) + theme.HEAD)


def _machine(row: dict) -> str:
    """The machine, its release and the basis, and the storage if it is not the machine's own.

    With more machines than colours, only the basis tells a published one from a measured one.
    """
    own = row["storage"] in ("internal", "unstated")
    return row["where"] if own else f"{row['where']}, {words.storage(row['storage'])}"


def _form(row: dict) -> str:
    """The format, with its encryption if unusual."""
    return row["image"] if row["encryption"] != "AES-256" else row["image"].replace(" AES-256", "")


def _share(row: dict) -> str:
    """The share in words, with its interval or range."""
    low, high = row["ratio_low"], row["ratio_high"]
    span = "" if words.missing(low) else f"{words.percent(low)} to {words.percent(high)}"
    if words.missing(row["ratio"]):
        return span
    return words.percent(row["ratio"]) + (f" ({span})" if span else "")


def _runs(row: dict) -> str:
    """The number of runs, `3 runs of 160 files`, each with and without encryption."""
    if words.missing(row["encrypted_files"]) or not row["runs"]:
        return "not stated"
    return words.runs_of([row["runs"]], [row["encrypted_files"] / row["runs"]])


def _tooltip() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("form:N", title="format"),
        alt.Tooltip("where:N", title="where"),
        alt.Tooltip("share:N", title="kept, 95 % interval across runs or range"),
        alt.Tooltip("n:N", title="n of each"),
    ]
