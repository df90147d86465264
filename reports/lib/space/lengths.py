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
    lines = [
        {
            "served": row["served"],
            "what": tables.with_small(row["what"], row["scale"]),
            "state": words.name(words.STATES, row["state"]),
            "nominal": words.size(row["nominal_bytes"]),
            "apparent": words.size(row["apparent_bytes"]),
            "allocated": words.size(row["allocated_bytes"]),
            "inside": "not known"
            if words.missing(row["volume_free_bytes"])
            else words.size(row["volume_free_bytes"]),
        }
        for row in rows.to_dict("records")
    ]
    return tables.table(
        lines,
        {
            "what": "Cell",
            "state": "State",
            "nominal": "Nominal",
            "apparent": "Apparent",
            "allocated": "Allocated",
            "inside": "Free inside",
        },
        "Three sizes of one image: the requested size, the apparent size of its file or files, "
        "and their allocated size",
        numbers=["nominal", "apparent", "allocated", "inside"],
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
