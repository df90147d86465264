"""What was measured of the files of each cell, and the SQL that asks for it."""

import pandas as pd

from lib import runs
from lib.database import query

VERBS = {"write": "writing", "read": "reading"}

# short: a page carries it once for each cell
EVERY_FILE = """
    select *, size_bytes / elapsed_ns as gbps
    from sample
    where cell = '{}'
    order by op desc, "order"
"""


def summaries() -> pd.DataFrame:
    """`file_summary` with the names of cells, in the order of `runs.cells()`, and what makes the
    statistics of a pass differ."""
    rows = query(
        """
        select file_summary.*, total_gbps, theil_sen_gbps, statistics_differ
        from file_summary
        inner join measured_speed using (cell, op)
        order by cell, op desc
        """
    )
    sql = rows.attrs["sql"]
    listed = runs.cells().drop(columns=["os_version", "os_build"])
    rows = listed.merge(rows, on="cell")
    rows.attrs["sql"] = sql
    return rows


def in_cells(sql: str, rows: pd.DataFrame) -> str:
    """The query `sql`, of the cells that `rows` are of."""
    listed = ", ".join(f"'{cell}'" for cell in dict.fromkeys(rows["cell"]))
    return sql.format(listed)
