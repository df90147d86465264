"""Inserts rows from Python into a table, by column and without pandas.

DuckDB reads NumPy arrays by the name of their variable. Row by row it would take minutes, and
pandas takes longer to import than the rows of one host to insert.
"""

from collections.abc import Sequence

import duckdb
import numpy as np


def insert(connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Sequence]) -> None:
    """Insert rows with the table's columns in its order; None and NaN become null."""
    if not rows:
        return
    description = connection.execute(f'from "{table}" limit 0').description or []
    given = {}
    for (name, kind, *_), values in zip(description, zip(*rows, strict=True), strict=True):
        # a column of only None would have no type
        is_number = kind == duckdb.sqltypes.DOUBLE
        given[name] = np.array(values, dtype=float if is_number else object)
    connection.execute(f'insert into "{table}" from given')
