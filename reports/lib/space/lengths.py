"""The nominal, apparent and allocated size of images."""

import pandas as pd

from lib import show, tables, words
from lib.space import measured


def shown(rows: pd.DataFrame, driver: str) -> show.Shown | None:
    """The three sizes of the images of the machine measured last."""
    rows = rows[(rows["driver"] == driver) & rows["state"].isin(("new", "filled"))]
    if rows.empty:
        return None
    rows = rows[measured.newest_machine(rows) & (rows["encryption"] == "none")]
    return tables.table(
        rows,
        [
            tables.sentence("Cell", lambda row: tables.with_small(row["what"], row["scale"])),
            tables.text("State", "state", words.state),
            tables.number("Nominal", "nominal_bytes", words.size),
            tables.number("Apparent", "apparent_bytes", words.size),
            tables.number("Allocated", "allocated_bytes", words.size),
            tables.number("Free inside", _inside),
        ],
        "Three sizes of one image: the requested size, the apparent size of its file or files, "
        "and their allocated size",
        heading="served",
        name=f"lengths-{driver}",
        source=f"""
            select
                cell, state, nominal_bytes, apparent_bytes, allocated_bytes, volume_free_bytes
            from container_size
            inner join cell using (cell)
            where driver = '{driver}' and state in ('new', 'filled')
            order by cell, container_size."order"
        """,
    )


def _inside(row: dict) -> str:
    octets = row["volume_free_bytes"]
    return "not known" if words.missing(octets) else words.size(octets)
