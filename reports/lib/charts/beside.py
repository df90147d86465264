"""Published (diamonds) and measured figures (other shapes) in one chart."""

from itertools import cycle

import altair as alt
import pandas as pd

from lib import theme, words
from lib.charts.parts import SPEED, finish, groups, intervals, only, told

PUBLISHED = "published"
# Outcomes of `article_table` with figures of the same machine, method, amount and release.
COMPARED = [
    *("reproduced", "faster", "slower", "depends on the statistic", "inconclusive"),
    "too few runs",
]
# The same of `article_size_table`.
SIZES_COMPARED = ["reproduced", "larger", "smaller", "too few runs"]
# the machine above its release: one line would be wider than one of two charts side by side
TWO_LINES = "split(datum.label, ', ')"
LINE = 17  # pixels: a mark with its figure
FIGURE = 72  # pixels: the longest figure behind a mark, such as 104.08 GB


def beside(
    rows: pd.DataFrame, title: str, description: str, top: float, unit: str = SPEED
) -> alt.LayerChart:
    """Published figures (hollow diamonds) and measured ones (other shapes with their interval).

    Rows: `what` (the name of the group), `series` (published, or a machine and its release),
    `value`, `low`, `high` in `unit`, `figure` (as printed or rounded), `runs` (runs and interval).
    `top` is the greatest value; the axis goes on as far as its figure.
    """
    order = list(dict.fromkeys(rows["what"]))
    series = list(dict.fromkeys(rows.sort_values("place")["series"]))
    grey = theme.SERIES[5]
    others = [colour for colour in theme.SERIES if colour != grey]
    colours = [grey, *others] if PUBLISHED in series else theme.SERIES
    left = cycle(shape for shape in theme.SHAPES if shape != "diamond")
    shapes = ["diamond" if name == PUBLISHED else next(left) for name in series]
    group = LINE * len(series)
    step = group + theme.HEAD
    legend = alt.Legend(columns=1, labelLimit=330, labelExpr=TWO_LINES) if len(series) > 1 else None
    columns = "what", "series", "value", "low", "high", "unit", "figure", "runs", "quote"
    # the unit for the chart's CSV, which may also have the rows of a chart in another unit
    base = alt.Chart(only(rows.assign(unit=unit), *columns).round(4)).encode(
        y=groups("what", order, step, 340),
        yOffset=alt.YOffset("series:N", sort=series),
    )
    colour = alt.Color(
        "series:N",
        title=None,
        sort=series,
        scale=alt.Scale(domain=series, range=colours[: len(series)]),
        legend=legend,
    )
    tooltip = [
        alt.Tooltip("what:N", title="image"),
        alt.Tooltip("series:N", title="who"),
        alt.Tooltip("figure:N", title=unit),
        alt.Tooltip("runs:N", title="runs, 95 % interval across them"),
        alt.Tooltip("quote:N", title="words"),
    ]
    end = alt.ExprRef(f"{top} * width / max(width - {FIGURE}, 40)")
    spans = intervals(base.encode(color=colour), unit, end)
    shape = alt.Shape(
        "series:N",
        sort=series,
        scale=alt.Scale(domain=series, range=shapes),
        legend=legend,
        title=None,
    )
    spoken = told(f"{{what}}, {{series}}: {{figure}} ({unit}), {{runs}}")
    published = alt.datum["series"] == PUBLISHED
    marks = [
        base.transform_filter(which)
        .mark_point(size=75, opacity=1, strokeWidth=2, filled=filled)
        .encode(x=alt.X("value:Q"), shape=shape, color=colour, tooltip=tooltip, description=spoken)
        for which, filled in ((published, False), (~published, True))
    ]
    figures = base.mark_text(align="left", dx=9, fontSize=12, aria=False).encode(
        x=alt.X("high:Q"), text=alt.Text("figure:N")
    )
    return finish(
        alt.layer(spans, *marks, figures), title, description, step * len(order) + theme.HEAD
    )


def speeds(rows: pd.DataFrame, op: str) -> pd.DataFrame:
    """The rows of `article_table` in one direction as `beside` takes them.

    Measured: comparable ones only, of the same kind of machine, method and amount, with images
    served by macOS. The others are in the tables.
    """
    rows = rows[(rows["op"] == op) & rows["published_gbps"].notna()]
    stated, ours = rows.drop_duplicates("table_order"), rows[rows["verdict"].isin(COMPARED)]
    published = _published(stated).assign(
        value=stated["published_gbps"],
        low=stated["published_gbps"],
        high=stated["published_gbps_to"].fillna(stated["published_gbps"]),
        figure=[_printed(row) for row in stated.to_dict("records")],
    )
    spans = [
        words.interval(row["measured_gbps_low"], row["measured_gbps_high"])
        for row in ours.to_dict("records")
    ]
    counts = [words.count(int(runs), "run") for runs in ours["measured_runs"]]
    measured = _measured(ours).assign(
        value=ours["measured_gbps"],
        low=ours["measured_gbps_low"].fillna(ours["measured_gbps"]),
        high=ours["measured_gbps_high"].fillna(ours["measured_gbps"]),
        figure=ours["measured_gbps"].map(words.gbps),
        runs=[words.joined(pair) for pair in zip(counts, spans, strict=True)],
    )
    return _together(published, measured)


def sizes(rows: pd.DataFrame, unit: str) -> pd.DataFrame:
    """The rows of `article_size_table` as `beside` takes them, in one unit (MB or GB)."""
    factor = {"MB": 1e6, "GB": 1e9}[unit]
    of_unit = {"MB": 1e6, "GB": 1e9, "TB": 1e12}
    stated, ours = rows.drop_duplicates("table_order"), rows[rows["verdict"].isin(SIZES_COMPARED)]
    published = _published(stated).assign(
        value=stated["published_bytes"] / factor,
        figure=list(map(words.printed, stated.to_dict("records"))),
    )
    octets = ours["measured_value"] * ours["unit"].map(of_unit)
    measured = _measured(ours).assign(
        value=octets / factor,
        figure=octets.map(words.size),
        runs=[
            f"median of {words.count(int(runs), 'run')}, no interval"
            for runs in ours["measured_runs"]
        ],
    )
    both = _together(published, measured)
    return both.assign(low=both["value"], high=both["value"])


def _published(rows: pd.DataFrame) -> pd.DataFrame:
    """Common properties of all published marks."""
    shared = {"series": PUBLISHED, "place": "", "runs": "one figure, no interval"}
    return rows[["what", "quote"]].assign(order=rows["table_order"], **shared)


def _measured(rows: pd.DataFrame) -> pd.DataFrame:
    """Common properties of all measured marks."""
    records = rows.to_dict("records")
    return rows[["what"]].assign(
        order=rows["table_order"],
        quote=rows["verdict"],
        series=[
            words.machine(row["measured_host"], row["measured_release"], by=[row["vouched_by"]])
            for row in records
        ],
        place=[_place(row) for row in records],
    )


def _together(*tables: pd.DataFrame) -> pd.DataFrame:
    known = [table for table in tables if not table.empty] or [tables[0]]
    return pd.concat(known).sort_values(["order", "place"], kind="stable")


def _printed(row: dict) -> str:
    mark = {"below": "< ", "above": "> ", "about": "\u2248 "}.get(row["kind"], "")
    unit = "" if row["unit_as_printed"] == "GB/s" else f" {row['unit_as_printed']}"
    return f"{mark}{row['as_printed']}{unit}"


def _place(row: dict) -> str:
    """The order of the legend: by host, older releases first."""
    return f"{row['measured_host']} {int(row['measured_release_number']):04}"
