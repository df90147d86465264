"""Allocated sizes of images by state of use."""

import pandas as pd

from lib import runs, show, tables, words
from lib.charts import space as charts
from lib.database import alike
from lib.space import measured

GROUP = ["protocol", "scale", "storage"]
ROWS = f"""
    select container_size.*
    from container_size
    inner join cell using (cell)
    where {{}} and status = 'measured'
    qualify {runs.FIRST}
    order by cell, container_size."order"
"""


def shown(rows: pd.DataFrame, driver: str) -> show.Shown:
    """Sizes by state: charts and tables of the machine measured last, links to the others."""
    rows = rows[rows["driver"] == driver]
    if rows.empty:
        return show.text("Not measured yet." if driver == "apple" else "None was measured.")
    newest = measured.newest_machine(rows)
    parts = [
        _chart(part)
        for _, part in rows[newest].groupby(GROUP, sort=False)
        if part["state"].nunique() > 2
    ]
    tables_ = show.folded("The same as tables", by_state(rows[newest], driver))
    others = show.elsewhere("Other hosts and releases", rows)
    found = show.together(*parts, tables_, None if newest.all() else others)
    return found or show.text("No image was measured in several states.")


def _chart(rows: pd.DataFrame) -> show.Shown:
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
    rows = rows.sort_values("place", kind="stable")
    return show.chart(
        f"chart-states-{first['driver']}-{first['protocol']}-{first['scale']}-{first['storage']}",
        charts.by_state(
            rows, title, f"Lines: size on disk of each image from state to state, {first['served']}"
        ),
        f"{runs.where(first)}.",
        rows=ROWS.format(alike(first, "host", "release", "driver", *GROUP)),
    )


def _ends(octets: pd.Series) -> str:
    return words.span(words.size(octets.min()), words.size(octets.max()))


def by_state(rows: pd.DataFrame, name: str) -> show.Shown | None:
    """A table per protocol: images in lines, states in columns."""
    parts = [part for _, part in rows.groupby(GROUP, sort=False) if part["state"].nunique() > 1]
    return show.together(
        *(_table(f"{name}-{number}", part) for number, part in enumerate(parts, start=1))
    )


def _table(name: str, rows: pd.DataFrame) -> show.Shown:
    first = rows.iloc[0]
    states = measured.in_order(rows)
    lines = [
        part.iloc[0].to_dict() | {"of": {row["state"]: row for row in part.to_dict("records")}}
        for _, part in rows.groupby(
            ["served", "format", "encryption", "band_bytes"], sort=False, dropna=False
        )
    ]
    protocol = words.protocol(first["protocol"])
    return tables.table(
        lines,
        [
            tables.sentence("Image", words.image_of),
            *(
                tables.number(
                    words.capital(words.state(state)),
                    lambda row, state=state: _size(row["of"].get(state)),
                )
                for state in states
            ),
        ],
        f"On disk by state, {protocol}, scale {first['scale']}, "
        f"on {words.storage(first['storage'])}",
        heading="served",
        name=f"states-{name}",
        classes="wide",
        source=rows,
    )


def _size(row: dict | None) -> tables.Markup:
    if row is None:
        return tables.absent()
    part = "chunk" if row["format"] == "ASIF" else "band"
    details = [] if words.missing(row["bands"]) else [words.count(row["bands"], part)]
    if not words.missing(row["volume_free_bytes"]):
        details.append(f"{words.size(row['volume_free_bytes'])} free inside")
    return tables.with_small(words.size(row["allocated_bytes"]), "; ".join(details))
