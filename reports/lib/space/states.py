"""Allocated sizes of images by state of use."""

import pandas as pd

from lib import show, tables, words
from lib.database import alike
from lib.space import measured, states_chart

GROUP = ["protocol", "scale", "storage"]
OTHERS = """
    select host, release, protocol, scale, storage, format, encryption, container_size.*
    from container_size
    inner join cell using (cell)
    where driver = '{driver}'
    order by host, release, cell, container_size."order"
"""


def shown(rows: pd.DataFrame, driver: str) -> show.Shown:
    """Sizes by state: charts and tables of the machine measured last, links to the others."""
    rows = rows[rows["driver"] == driver]
    if rows.empty:
        return show.text("Not measured yet." if driver == "apple" else "None was measured.")
    newest = measured.newest_machine(rows)
    parts = [
        states_chart.chart(part)
        for _, part in rows[newest].groupby(GROUP, sort=False)
        if part["state"].nunique() > 2
    ]
    tables_ = show.folded("The same as tables", by_state(rows[newest], driver))
    others = show.elsewhere("Other hosts and releases", OTHERS.format(driver=driver))
    found = show.together(*parts, tables_, None if newest.all() else others)
    return found or show.text("No image was measured in several states.")


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
        f"on {words.storage(first['storage'])}{_ours(first['protocol'], states)}",
        heading="served",
        name=f"states-{name}",
        classes="wide",
        source=f"""
            select container_size.*
            from container_size
            inner join cell using (cell)
            where {alike(first, "driver", "protocol", "scale", "storage")} and repeat = 1
            order by cell, container_size."order"
        """,
    )


def _ours(protocol: str, states: list[str]) -> str:
    """A remark on steps that the article does not have."""
    ours = [step for state, step in words.OWN_STEPS.get(protocol, {}).items() if state in states]
    return f". Added by us after the article\u2019s steps: {words.listed(ours)}" if ours else ""


def _size(row: dict | None) -> tables.Markup:
    if row is None:
        return tables.absent()
    part = "chunk" if row["format"] == "ASIF" else "band"
    told = [] if words.missing(row["bands"]) else [words.count(row["bands"], part)]
    if not words.missing(row["volume_free_bytes"]):
        told.append(f"{words.size(row['volume_free_bytes'])} free inside")
    return tables.with_small(words.size(row["allocated_bytes"]), "; ".join(told))
