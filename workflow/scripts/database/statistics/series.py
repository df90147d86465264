"""The files of a cell in one direction (a series)."""

from dataclasses import dataclass

import duckdb
import numpy as np


@dataclass(frozen=True)
class Files:
    """The files of one cell in one direction, in order."""

    cell: str
    op: str
    size_bytes: np.ndarray
    elapsed_ns: np.ndarray


def measured(connection: duckdb.DuckDBPyConnection) -> list[Files]:
    """The files of each measured cell and direction.

    Files during which the machine slept are left out.
    """
    found = connection.execute("""
        select
            sample.cell,
            op,
            list(size_bytes order by "order"),
            list(elapsed_ns order by "order")
        from sample
        inner join cell using (cell)
        where cell.status = 'measured' and not slept
        group by sample.cell, op
        order by sample.cell, op
    """).fetchall()
    return [Files(cell, op, np.array(sizes), np.array(times)) for cell, op, sizes, times in found]
