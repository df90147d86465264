"""Makes `datapackage.json`, a description of the downloads for Frictionless tools.

All of it comes from the database: tables, columns, types and comments.
"""

import re
from pathlib import Path
from typing import Any

import duckdb

# https://specs.frictionlessdata.io/table-schema/#types-and-formats
TYPES = {"BOOLEAN": "boolean", "DATE": "date", "DOUBLE": "number", "VARCHAR": "string"}
LIST = {"parquet": "array", "csv": "string"}  # text in CSV, such as `[slept, smoke]`
STRUCT = {"parquet": "object", "csv": "string"}
INTEGER = re.compile(r"U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?")
# DuckDB's format in CSV
TIMESTAMP = {"type": "datetime", "format": "%Y-%m-%d %H:%M:%S"}


def package(connection: duckdb.DuckDBPyConnection, folder: Path) -> dict[str, Any]:
    """A package of the tables in a folder of downloads, with a resource per file."""
    return {
        "name": "diskbench",
        "title": "diskbench: how fast are macOS disk images?",
        "licenses": [{"name": "MIT", "path": "https://opensource.org/license/mit"}],
        "resources": [
            _resource(connection, file)
            for form in ("parquet", "csv")
            for file in sorted((folder / form).iterdir())
        ],
    }


def _resource(connection: duckdb.DuckDBPyConnection, file: Path) -> dict[str, Any]:
    name, form = file.stem, file.suffix.removeprefix(".")
    [(comment,)] = connection.execute(
        "select comment from duckdb_tables() where table_name = $1", [name]
    ).fetchall()
    columns = connection.execute(
        """
        select column_name, data_type, comment from duckdb_columns()
        where table_name = $1 order by column_index
        """,
        [name],
    ).fetchall()
    return {
        "name": f"{name}-{form}",
        "path": f"{form}/{file.name}",
        "format": form,
        "bytes": file.stat().st_size,
        "description": comment,
        "schema": {
            "fields": [
                {"name": column, **type_of(kind, form), "description": words}
                for column, kind, words in columns
            ]
        },
    }


def type_of(kind: str, form: str) -> dict[str, str]:
    """The Frictionless type of a DuckDB column in a file of this form."""
    if kind.endswith("[]"):
        return {"type": LIST[form]}
    if kind.startswith("STRUCT"):
        return {"type": STRUCT[form]}
    if kind == "TIMESTAMP":
        return TIMESTAMP
    return {"type": "integer" if INTEGER.fullmatch(kind) else TYPES[kind]}
