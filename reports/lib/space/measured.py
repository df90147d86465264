"""Every measured size, the machine measured last, and the order of its states."""

import pandas as pd

from lib import order, runs
from lib.database import query

ON_MACS = "(select *, false as stand_in from comparable_size)"
OF_OURS = """(
    select size.*, cell.* exclude (cell), host.vouched_by from container_size as size
    inner join cell using (cell) inner join host using (host, release)
    where driver = 'portable' and status = 'measured'
)"""


def sizes(source: str = ON_MACS) -> pd.DataFrame:
    """Every size of the first measured run of each series, with the name of its cell."""
    return runs.named(
        query(
            f"""
            select
                size.*,
                lag(state) over (partition by cell order by "order") as state_before,
                lag(allocated_bytes) over (partition by cell order by "order") as bytes_before,
                lag(bands) over (partition by cell order by "order") as bands_before
            from {source} as size
            qualify {runs.FIRST}
            order by host, release, {order.CELLS}, "order"
            """
        )
    )


def newest_machine(rows: pd.DataFrame) -> pd.Series:
    """Which rows are of the machine measured last."""
    last = rows.loc[rows["started_utc"].idxmax()]
    return (rows["host"] == last["host"]) & (rows["release"] == last["release"])


def in_order(rows: pd.DataFrame) -> list[str]:
    """The states in the order of the image with the most of them."""
    images = rows.groupby(["host", "release", "format", "encryption", "band_bytes"], dropna=False)
    longest = images["state"].agg(list)
    return list(dict.fromkeys(state for of in sorted(longest, key=len)[::-1] for state in of))
