"""Add rows that Python has to a table of the database: whole columns at a time, and without pandas.

DuckDB reads arrays of NumPy by the name of the variable that holds them. Row by row it would take
minutes, and pandas takes longer to load than the rows of one host.
"""

from collections.abc import Sequence

import duckdb
import numpy as np


def insert(connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Sequence]) -> None:
    """Add rows to a table, whose columns they have in its order; None and NaN become null."""
    if not rows:
        return
    description = connection.execute(f'from "{table}" limit 0').description or []
    given = {}
    chosen = []
    for number, (column, values) in enumerate(
        zip(description, zip(*rows, strict=True), strict=True)
    ):
        is_number = column[1] == duckdb.sqltypes.DOUBLE
        # a column of numbers may be all None, which would come without a type
        given[f"column{number}"] = np.array(values, dtype=float if is_number else object)
        chosen.append(f"nullif(column{number}, 'nan')" if is_number else f"column{number}")
    connection.execute(f'insert into "{table}" select {", ".join(chosen)} from given')
