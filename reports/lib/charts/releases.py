"""A chart of speeds over the releases of macOS."""

import altair as alt
import pandas as pd

from lib import theme, words
from lib.charts.parts import SPEED, few, finish, full, labels, only, shapes, told, with_ends

SPOKEN = told("macOS {macos}, encryption {encryption}, {basis}, GB/s: {said}")


def by_release(
    rows: pd.DataFrame, axis: list[str], title: str, description: str, top: float
) -> alt.LayerChart:
    """Speed of one format in one direction by release, a line for each encryption.

    Rows: of `releases.by_host.every()`. Published: hollow on dashed lines; measured: filled on
    solid lines, one for each `piece` of comparable ones, intervals across runs as rules. A
    range is a bar, a bound an arrow. `axis` holds the releases in their order, `top` is the end
    of the axis, GB/s.
    """
    rows = with_ends(rows, "gbps").assign(
        place=rows["macos"].map(axis.index),
        end=rows["gbps_to"].fillna(rows["gbps"]),
        said=[_said(row) for row in rows.to_dict("records")],
        mark=["\u2020" if second else "" for second in rows["second_hand"]],
        line=rows["basis"] + " " + rows["encryption"] + " " + rows["piece"].astype(str),
    )
    columns = (
        *("macos", "place", "basis", "encryption", "line", "kind", "gbps", "end", "low", "high"),
        *("said", "mark", "origin"),
    )
    coded = [name for name in theme.ENCRYPTION if name in set(rows["encryption"])]
    colours = {
        "title": None,
        "scale": theme.colours(theme.ENCRYPTION, coded),
        "legend": alt.Legend(labelExpr=labels(words.ENCRYPTIONS), symbolOpacity=1, columns=2),
    }
    base = alt.Chart(only(rows, *columns)).encode(
        x=alt.X(
            "macos:O",
            title="release of macOS",
            scale=alt.Scale(domain=axis),
            axis=alt.Axis(labelAngle=0, grid=False, labelOverlap="parity"),
        ),
        color=alt.Color("encryption:N", **colours),
        tooltip=[
            alt.Tooltip("macos:O", title="release"),
            alt.Tooltip("encryption:N", title="encryption"),
            alt.Tooltip("basis:N", title="basis"),
            alt.Tooltip("said:N", title=SPEED),
            alt.Tooltip("origin:N", title="source"),
        ],
    )
    speed = alt.Y("gbps:Q", title=SPEED, scale=alt.Scale(domain=[0, top]), axis=few(4))
    stated = base.transform_filter("datum.kind != 'range'")
    lines = stated.mark_line(strokeWidth=2, opacity=0.75, aria=False).encode(
        y=speed,
        order=alt.Order("place:Q"),
        detail=alt.Detail("line:N"),
        strokeDash=alt.StrokeDash(
            "basis:N",
            legend=None,
            scale=alt.Scale(domain=["published", "measured"], range=[[5, 4], [1, 0]]),
        ),
    )
    ranges = base.transform_filter("datum.kind == 'range'").mark_rule(
        strokeWidth=7, opacity=0.5
    ).encode(y=speed, y2=alt.Y2("end:Q"), description=SPOKEN)  # fmt: skip
    intervals = (
        base.transform_filter("datum.high > datum.low")
        .mark_rule(strokeWidth=2, aria=False, clip=True)
        .encode(y=alt.Y("low:Q", scale=alt.Scale(domain=[0, top])), y2=alt.Y2("high:Q"))
    )
    points = stated.mark_point(size=75, strokeWidth=1.8).encode(
        y=speed,
        shape=shapes("encryption", coded, colours["legend"], theme.ENCRYPTION),
        fill=alt.Fill("encryption:N", **colours),
        fillOpacity=full("datum.basis == 'measured'"),
        description=SPOKEN,
    )
    # skip empty layers: each one costs time
    layers = [lines]
    layers += [ranges] if (rows["kind"] == "range").any() else []
    layers += [intervals] if (rows["high"] > rows["low"]).any() else []
    layers += [points]
    for kind, sign in (("below", "\u2193"), ("above", "\u2191")):
        if (rows["kind"] == kind).any():
            bound = base.transform_filter(f"datum.kind == '{kind}'")
            below = {"below": 14, "above": -14}[kind]
            layers.append(
                bound.mark_text(dy=below, fontSize=14, text=sign, aria=False).encode(y=speed)
            )
    if rows["second_hand"].any():
        layers.append(
            stated.mark_text(dx=9, dy=-6, fontSize=12, aria=False).encode(
                y=speed, text=alt.Text("mark:N")
            )
        )
    return finish(alt.layer(*layers), title, description, 170)


def _said(row: dict) -> str:
    """A speed in words: as printed, or with its interval and the number of runs."""
    if row["basis"] == "published":
        if row["kind"] == "range":
            return f"{row['gbps']:g} to {row['gbps_to']:g}"
        prefix = "" if row["kind"] == "exact" else f"{row['kind']} "
        return f"{prefix}{row['gbps']:g}" + (" (second-hand)" if row["second_hand"] else "")
    text = words.gbps(row["gbps"])
    span = words.interval(row["gbps_low"], row["gbps_high"])
    counted = words.count(int(row["runs"]), "run")
    return f"{text} ({span}), {counted}" if span else f"{text}, {counted}"
