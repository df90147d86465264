"""The style of every chart: a registered Altair theme and the colours of the data.

Text and line colours follow the page (light or dark) and are set in `assets/charts.js`.
"""

from itertools import cycle

import altair as alt

from lib import words

# the vocabulary's colours, and one for unstated values
ENCRYPTION = {slug: words.COLOURS.get(slug, "#7d858f") for slug in words.ENCRYPTIONS}
OPERATION = {"write": "#d2641e", "read": "#2f7fc1"}
# states of use in words
STATE = {
    name: words.COLOURS[slug]
    for slug, name in (words.PHASES | words.PROTOCOLS).items()
    if slug in words.COLOURS
}
# colours of a series, in order
SERIES = ["#2f7fc1", "#d2641e", "#148a72", "#9a62b5", "#b8860b", "#7d858f", "#c0507f"]
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]
# pixels: height of a line with the name of its machine and of its cell
CELL = 60
# pixels: a line in a named group, and the gap between groups
LINE, HEAD = 12, 10


def house() -> alt.theme.ThemeConfig:
    """The theme: subdued axes, titles on the left, full width."""
    return {
        "config": {
            "autosize": {"type": "fit-x", "contains": "padding"},
            "view": {"continuousHeight": 240},
            "title": {
                "anchor": "start",
                "frame": "bounds",
                "fontSize": 14,
                "fontWeight": 600,
                "subtitleFontSize": 12,
                "subtitlePadding": 4,
                "offset": 12,
            },
            "axis": {
                "labelFontSize": 12,
                "titleFontSize": 12,
                "titleFontWeight": "normal",
                "ticks": False,
                "labelPadding": 6,
                "titlePadding": 8,
            },
            "axisY": {"domain": False},
            "legend": {
                "orient": "top",
                "direction": "horizontal",
                "labelFontSize": 12,
                "titleFontSize": 12,
                "titleFontWeight": "normal",
                "symbolSize": 90,
                "padding": 0,
                "offset": 10,
            },
        }
    }


def enable() -> None:
    """Enable the theme for all charts."""
    alt.theme.register("diskbench", enable=True)(house)


def colours(of: dict[str, str], seen: list[str]) -> alt.Scale:
    """A colour scale for these values: known ones in order, others with the remaining colours."""
    known = {name: of[name] for name in of if name in set(seen)}
    left = cycle([colour for colour in SERIES if colour not in known.values()] or SERIES)
    scale = known | {name: next(left) for name in dict.fromkeys(seen) if name not in known}
    return alt.Scale(domain=[*scale], range=[*scale.values()])
