"""Shared parts of charts: order of formats, axes, intervals, titles."""

from collections.abc import Iterable
from string import Formatter

import altair as alt
import pandas as pd

from lib import rules, theme, words

SPEED = "GB/s"

# The interval of few runs can be many times as wide as all speeds: it is then cut off at the axis.
FAR = 2.0


def end(rows: pd.DataFrame) -> float:
    """The end of an axis of speeds, GB/s: after the intervals, unless those are very wide.

    Rows: of `repeated_speed`.
    """
    fastest = rows["gbps"].max()
    return 1.05 * float(min(rows[["gbps", "gbps_high"]].max().max(), FAR * fastest))


def with_ends(rows: pd.DataFrame, value: str) -> pd.DataFrame:
    """The ends of the interval of a value as `low` and `high`, null without an interval."""
    return rows.assign(low=rows[f"{value}_low"], high=rows[f"{value}_high"])


def with_intervals(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with `speed`, the interval, and the interval in words.

    Rows: of `repeated_speed`.
    """
    none = f"none: fewer than {rules.fewest_runs()} runs"
    return with_ends(rows, "gbps").assign(
        speed=rows["gbps"],
        range=[
            words.interval(low, high) or none
            for low, high in zip(rows["gbps_low"], rows["gbps_high"], strict=True)
        ],
    )


def finish(chart: alt.TopLevelMixin, title: str, description: str, height: object):
    """Sets title, description for screen readers, and page width."""
    return chart.properties(title=title, description=description, width="container", height=height)


def told(sentence: str) -> alt.DescriptionValue:
    """What a screen reader says of a mark: `{image}: {speed:.3g}`, columns in braces."""
    parts = []
    for text, column, form, _ in Formatter().parse(sentence):
        parts.append(repr(text))
        if column:
            value = f"datum['{column}']"
            parts.append(f"format({value}, '{form}')" if form else value)
    return alt.DescriptionValue(alt.ExprRef(" + ".join(parts)))


def only(rows: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Only the columns that the chart needs, to keep the page small."""
    return rows[[column for column in columns if column in rows]]


def groups(field: str, order: list[str], step: int, limit: int = 340) -> alt.Y:
    """Groups of lines from top to bottom, each of so many pixels with the room to the next."""
    room = theme.HEAD / step
    return alt.Y(
        f"{field}:N",
        title=None,
        sort=order,
        scale=alt.Scale(paddingInner=room, paddingOuter=room),
        axis=alt.Axis(labelLimit=limit),
    )


def shapes(field: str, of: list[str], legend: alt.Legend, known: Iterable[str] = ()) -> alt.Shape:
    """A shape for each value besides its colour, which not everyone can tell from another.

    There are fewer shapes than colours: both repeat, but not together. The known values, which have
    the same colour in all charts, have the same shape, too.
    """
    places = {name: place for place, name in enumerate(dict.fromkeys([*known, *of]))}
    named = [theme.SHAPES[places[name] % len(theme.SHAPES)] for name in of]
    scale = alt.Scale(domain=of, range=named)
    return alt.Shape(f"{field}:N", title=None, scale=scale, legend=legend)


def intervals(base: alt.Chart, title: str, top: float | alt.ExprRef) -> alt.Chart:
    """A rule from `low` to `high`, if they are known, cut off at the end of an axis to `top`."""
    x = alt.X("low:Q", title=title, scale=alt.Scale(domain=[0, top]), axis=few(5))
    known = base.transform_filter("isValid(datum.low) && isValid(datum.high)")
    return known.mark_rule(strokeWidth=2, aria=False, clip=True).encode(x=x, x2=alt.X2("high:Q"))


def full(test: str) -> alt.FillOpacityValue:
    """Fills the marks for which a Vega expression is true; the others are hollow."""
    return alt.FillOpacityValue(0, condition={"test": test, "value": 1})


def at_one() -> alt.Chart:
    """A dashed rule at a share of 1 (no loss)."""
    return (
        alt.Chart(pd.DataFrame({"one": [1.0]}))
        .mark_rule(strokeDash=[4, 4], opacity=0.5, aria=False)
        .encode(x=alt.X("one:Q"))
    )


def few(ticks: int) -> alt.Axis:
    """An axis with about this many ticks."""
    return alt.Axis(tickCount=ticks)


def powers() -> alt.Axis:
    """An axis labelled with plain numbers at powers of ten only."""
    powers = [10.0**power for power in range(-4, 6)]
    return alt.Axis(values=powers, format=",~g", tickCount=6)


def labels(names: dict[str, str]) -> str:
    """A Vega expression that turns slugs into names."""
    known = ", ".join(f"'{slug}': '{name}'" for slug, name in names.items())
    return f"({{{known}}})[datum.label] || datum.label"
