"""A forest plot of the cost of formats: speed as a share of that of the disk itself."""

import altair as alt
import pandas as pd

from lib import theme, words
from lib.charts.parts import FAR, at_one, finish, groups, intervals, only, shapes, told, with_ends


def forest(rows: pd.DataFrame, title: str, description: str) -> alt.LayerChart:
    """A line for each image, state and direction: the ratio as a disc, the interval as a rule.

    Rows: of `format_cost` with a ratio, of one machine, protocol and scale; `what` names the image
    and its state. The dashed rule is the disk itself. Wide intervals of few runs end with the axis.
    """
    top = min(1.05 * rows[["ratio", "ratio_high"]].max().max(), FAR * max(rows["ratio"].max(), 1))
    top = max(float(top), 1.05)
    rows = with_ends(rows, "ratio").assign(
        interval=[
            words.interval(low, high) or "none"
            for low, high in zip(rows["ratio_low"], rows["ratio_high"], strict=True)
        ],
    )
    whats = list(dict.fromkeys(rows["what"]))
    columns = ["what", "op", "ratio", "low", "high", "interval", "runs", "verdict"]
    colours, legend = theme.colours(theme.OPERATION, list(rows["op"])), alt.Legend()
    step = theme.LINE * len(words.VERBS) + theme.HEAD
    base = alt.Chart(only(rows, *columns)).encode(
        y=groups("what", whats, step),
        yOffset=alt.YOffset("op:N", sort=list(words.VERBS)),
        color=alt.Color(
            "op:N",
            title=None,
            scale=colours,
            legend=legend,
        ),
        tooltip=[
            alt.Tooltip("what:N", title="image"),
            alt.Tooltip("op:N"),
            alt.Tooltip("ratio:Q", title="of the disk itself", format=".2f"),
            alt.Tooltip("interval:N", title="95 % interval across runs"),
            alt.Tooltip("runs:Q"),
            alt.Tooltip("verdict:N"),
        ],
    )
    points = base.mark_point(filled=True, size=60, opacity=1).encode(
        x=alt.X("ratio:Q", scale=alt.Scale(domain=[0, top])),
        shape=shapes("op", colours["domain"], legend, theme.OPERATION),
        description=told("{what}, {op}: {ratio:.2f} of native ({interval}), {verdict}"),
    )
    layers = alt.layer(at_one(), intervals(base, "speed / speed of the disk itself", top), points)
    return finish(layers, title, description, step * len(whats) + theme.HEAD)
