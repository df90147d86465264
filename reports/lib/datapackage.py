"""Makes `datapackage.json`, a description of the downloads for Frictionless tools.

Tables, columns, types and comments come from the database. Columns are described for CSV; Parquet
has their types itself, and the database all comments.
"""

import hashlib
import re
from pathlib import Path
from typing import Any

import duckdb

from lib import project
from lib.database import built

# https://specs.frictionlessdata.io/table-schema/#types-and-formats
TYPES = {"BOOLEAN": "boolean", "DATE": "date", "DOUBLE": "number", "VARCHAR": "string"}
INTEGER = re.compile(r"U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?")
# DuckDB's format in CSV
TIMESTAMP = {"type": "datetime", "format": "%Y-%m-%d %H:%M:%S"}


def package(connection: duckdb.DuckDBPyConnection, folder: Path) -> dict[str, Any]:
    """A package of the tables in a folder of downloads, with a resource per file."""
    return {
        "name": "diskbench",
        "title": "diskbench: how fast are macOS disk images?",
        **state(connection),
        "licenses": [{"name": "MIT", "path": "https://opensource.org/license/mit"}],
        "resources": [
            _resource(connection, file)
            for form in ("parquet", "csv")
            for file in sorted((folder / form).iterdir())
        ],
    }


def state(connection: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    """What tells one state of the data from another; `sha256` is of a line for each record, sorted:
    its cell, a space, and its own checksum."""
    records = connection.execute("select cell, sha256 from cell order by cell").fetchall()
    lines = "".join(f"{cell} {checksum}\n" for cell, checksum in records)
    return {
        "version": project.document("CITATION.cff")["version"],
        "created": f"{built():%Y-%m-%dT%H:%M:%SZ}",
        "commit": _commit(),
        "records": {
            "count": len(records),
            "sha256": hashlib.sha256(lines.encode()).hexdigest(),
        },
    }


def _commit() -> str:
    """The project's commit; empty without git, and in a copy, around which another may be."""
    is_clone = (project.ROOT / ".git").exists()
    return project.code("places").commit(project.ROOT) if is_clone else ""


def _resource(connection: duckdb.DuckDBPyConnection, file: Path) -> dict[str, Any]:
    name, form = file.stem, file.suffix.removeprefix(".")
    [(comment,)] = connection.execute(
        "select comment from duckdb_tables() where table_name = $1", [name]
    ).fetchall()
    resource = {
        "name": f"{name}-{form}",
        "path": f"{form}/{file.name}",
        "format": form,
        "bytes": file.stat().st_size,
        "description": comment,
    }
    if form == "parquet":
        # a table to tools only with a plugin, and then not of lists and structures
        return resource | {"type": "file"}
    columns = connection.execute(
        """
        select column_name, data_type, comment from duckdb_columns()
        where table_name = $1 order by column_index
        """,
        [name],
    ).fetchall()
    fields = [
        {"name": column, **type_of(kind), "description": words} for column, kind, words in columns
    ]
    return resource | {"schema": {"fields": fields}}


def type_of(kind: str) -> dict[str, str]:
    """The Frictionless type of a DuckDB column in CSV."""
    if kind.endswith("[]") or kind.startswith("STRUCT"):
        return {"type": "string"}  # text such as `[slept, smoke]`
    if kind == "TIMESTAMP":
        return TIMESTAMP
    return {"type": "integer" if INTEGER.fullmatch(kind) else TYPES[kind]}
