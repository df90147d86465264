"""Write a table as Parquet for download and archive: the same rows give the same bytes."""

from pathlib import Path

import duckdb


def write(connection: duckdb.DuckDBPyConnection, table: str, folder: Path) -> Path:
    """Write `folder/<table>.parquet` in the order that the table's own SQL file gives its rows."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{table}.parquet"
    literal = str(path).replace("'", "''")
    connection.execute(
        f"copy (from {table} order by rowid) to '{literal}' (format parquet, compression zstd)"
    )
    return path
