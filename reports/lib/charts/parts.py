"""What chart modules share: the order of formats, axes, intervals, the last touches."""

import altair as alt
import pandas as pd

from lib import words

SPEED = "GB/s"
ORDER = ["UDSB", "UDRW", "ASIF", "UDSP", "VM", "native", "unstated"]


def with_intervals(rows: pd.DataFrame) -> pd.DataFrame:
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


def finish(chart: alt.TopLevelMixin, title: str, description: str, height: object):
    """Title, description for screen readers, as wide as the page."""
    return chart.properties(title=title, description=description, width="container", height=height)


def only(rows: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """The columns that the chart needs: what stands in the page is kept small."""
    return rows[[column for column in columns if column in rows]]


def few(ticks: int) -> alt.Axis:
    """An axis with about so many ticks."""
    return alt.Axis(tickCount=ticks)


def powers() -> alt.Axis:
    """Plain numbers at the powers of ten, nothing between."""
    powers = [10.0**power for power in range(-4, 6)]
    return alt.Axis(values=powers, format=",~g", tickCount=6)


def labels(names: dict[str, str]) -> str:
    """A Vega expression that writes slugs in words."""
    known = ", ".join(f"'{slug}': '{name}'" for slug, name in names.items())
    return f"({{{known}}})[datum.label] || datum.label"
