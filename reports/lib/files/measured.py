"""Measured figures of each cell's files, with their SQL."""

import pandas as pd

from lib import runs, show, words
from lib.database import query

EVERY_FILE = """
    select *, size_bytes / elapsed_ns as gbps
    from sample
    where cell = '{}'
    order by op desc, "order"
"""


def summaries() -> pd.DataFrame:
    """`file_summary` with names of cells and why statistics differ, ordered as `runs.cells()`."""
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
    """The query `sql`, restricted to the cells of `rows`."""
    listed = ", ".join(f"'{cell}'" for cell in dict.fromkeys(rows["cell"]))
    return sql.format(listed)


def every_cell(rows: pd.DataFrame) -> show.Shown:
    """Definitions of outliers and order, with a link to those of every run."""
    if rows.empty:
        return show.text("Not measured yet.")
    return show.elsewhere(
        "An **outlier** is a file whose rate is unusual for its size: the rate\u2019s logarithm "
        "differs from the median of the files of that size in the same pass by more than 3.5 "
        "robust standard deviations. Each is 1.4826 times the median absolute deviation of that "
        "size, or of the whole pass if that is larger. Sizes with fewer than five files have no "
        "outliers. Outliers stay in every statistic. **Order** is the rank correlation (Spearman) "
        "of a file\u2019s place in the pass with its rate, as a logarithm less the median one of "
        "its size: below 0, later files are slower. It matters where chance alone would give such "
        "a correlation in fewer than one of a thousand passes.\n\nRates, outliers and order of all "
        f"{words.count(rows['cell'].nunique(), 'run')}",
        rows,
    )
