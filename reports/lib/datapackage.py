"""Makes `datapackage.json`, a description of the downloads for Frictionless tools.

All of it comes from the database: tables, columns, types and comments.
"""

import re
from typing import Any

import duckdb

# https://specs.frictionlessdata.io/table-schema/#types-and-formats
TYPES = {"BOOLEAN": "boolean", "DATE": "date", "DOUBLE": "number", "VARCHAR": "string"}
LIST = {"parquet": "array", "csv": "string"}  # text in CSV, such as `[slept, smoke]`
INTEGER = re.compile(r"U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?")
# DuckDB's format in CSV
TIMESTAMP = {"type": "datetime", "format": "%Y-%m-%d %H:%M:%S"}


def package(connection: duckdb.DuckDBPyConnection, tables: list[dict]) -> dict[str, Any]:
    """A package of these tables (`downloads.json`), with a resource per file."""
    return {
        "name": "diskbench",
        "title": "diskbench: how fast are macOS disk images?",
        "licenses": [{"name": "MIT", "path": "https://opensource.org/license/mit"}],
        "resources": [
            _resource(connection, table, form)
            for table in tables
            for form in ("parquet", "csv")
            if table[f"{form}_bytes"] is not None
        ],
    }


def _resource(
    connection: duckdb.DuckDBPyConnection, table: dict[str, Any], form: str
) -> dict[str, Any]:
    name = table["name"]
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
        "path": f"{form}/{name}.{form}",
        "format": form,
        "bytes": table[f"{form}_bytes"],
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
    if kind == "TIMESTAMP":
        return TIMESTAMP
    return {"type": "integer" if INTEGER.fullmatch(kind) else TYPES[kind]}
