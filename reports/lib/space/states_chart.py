"""A chart of allocated sizes from state to state."""

import pandas as pd

from lib import show, words
from lib.charts import space as charts
from lib.database import alike
from lib.space import measured


def chart(rows: pd.DataFrame) -> show.Shown:
    """The chart, with a line for each image of one machine, protocol, scale and storage."""
    first = rows.iloc[0]
    states = measured.in_order(rows)
    rows = rows.assign(
        image=list(map(words.image_of, rows.to_dict("records"))),
        place=rows["state"].map(states.index),
        mb=rows["allocated_bytes"] / 1e6,
    ).sort_values(["image", "place"], kind="stable")
    rows = rows[rows["mb"] > 0]
    filled, after = (
        rows[rows["place"] > 0]["mb"].max(),
        rows[rows["place"] == len(states) - 1]["mb"],
    )
    last = words.state(states[-1])
    title = (
        f"Up to {words.size(filled * 1e6)} when full, {_ends(after * 1e6)} {last} "
        f"({first['driver']})"
    )
    rows["state"] = [words.state(state) for state in rows["state"]]
    where = ", ".join([words.protocol(first["protocol"]), f"scale {first['scale']}"])
    rows = rows.sort_values("place", kind="stable")
    return show.chart(
        f"chart-states-{first['driver']}-{first['protocol']}-{first['scale']}-{first['storage']}",
        charts.by_state(
            rows, title, f"Lines: size on disk of each image from state to state, {first['served']}"
        ),
        f"{first['served']}; {where}, on {words.storage(first['storage'])}.",
        rows=f"""
            select container_size.*
            from container_size
            inner join cell using (cell)
            where {alike(first, "host", "release", "driver", "protocol", "scale", "storage")}
                and repeat = 1
            order by cell, container_size."order"
        """,
    )


def _ends(octets: pd.Series) -> str:
    return words.span(words.size(octets.min()), words.size(octets.max()))
