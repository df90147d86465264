"""Access of pages to the data: `query("select ...")` returns a data frame.

The workflow builds the database from `data/`; pages only read it.
"""

import json
import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd

# Characters that pages cannot show or that disguise a text: control characters except line feeds,
# changes of writing direction (Unicode's Bidi_Control), surrogates. Records are not trusted.
UNSHOWN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
LONGEST = 10_000  # characters of a text on a page; our own texts are much shorter

DEFAULT = Path(__file__).resolve().parents[2] / "data" / "diskbench.duckdb"


class NoDatabaseError(Exception):
    """The database is missing: shown as one sentence instead of a traceback."""

    def _render_traceback_(self) -> list[str]:
        """The text that IPython, and so Quarto and Jupyter, show for this error."""
        return [f"NoDatabaseError: {self}"]


def database_file() -> Path:
    """The path of the database; tests set another with `DISKBENCH_DATABASE`."""
    file = Path(os.environ.get("DISKBENCH_DATABASE") or DEFAULT)
    if not file.is_file():
        raise NoDatabaseError(
            f"there is no database at data/{file.name} yet; run: bash workflow/run.sh"
        )
    return file


def built() -> datetime:
    """When the database was built, by its file's time."""
    return datetime.fromtimestamp(database_file().stat().st_mtime, UTC)


@cache
def connect() -> duckdb.DuckDBPyConnection:
    """Open the database read-only, without extensions, which could use the network."""
    off = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    return duckdb.connect(str(database_file()), read_only=True, config=off)


def query(sql: str, **parameters: object) -> pd.DataFrame:
    """Run one SQL statement with the parameters `$name`.

    Texts are made safe to show (`shown`). The frame's `attrs["sql"]` is the statement with literal
    parameters, for links to its rows.
    """
    frame = connect().execute(sql, parameters or None).df()
    for name in frame.select_dtypes(["object", "str"]):
        frame[name] = _safe(frame[name])
    frame.attrs["sql"] = written_out(sql, parameters)
    # for a benchmark, which runs the statements of the pages again on larger databases
    if log := os.environ.get("DISKBENCH_QUERY_LOG"):
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(json.dumps(frame.attrs["sql"]) + "\n")
    return frame


def _safe(column: pd.Series) -> pd.Series:
    """Texts that can be shown; lists as tuples, so that rows can be grouped by them."""
    texts = {text: shown(text) for text in {value for value in column if isinstance(value, str)}}
    values = [
        tuple(value)
        if isinstance(value, np.ndarray | list)
        else texts[value]
        if isinstance(value, str)
        else value
        for value in column
    ]
    # not the type `str`, whose values are given out at half the speed
    return pd.Series(values, column.index, dtype=object)


def shown(text: str) -> str:
    """A text without characters that cannot be shown (marked), truncated if very long."""
    text = UNSHOWN.sub("\ufffd", text)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\u2026"


def written_out(sql: str, parameters: dict[str, object]) -> str:
    """A statement with literals in the place of its parameters, to run as it stands."""
    if not parameters:
        return sql
    return re.sub(r"\$([a-z_]+)", lambda name: _literal(parameters[name[1]]), sql)


def alike(row: Mapping[str, object] | pd.Series, *columns: str) -> str:
    """A condition in SQL: these columns as in a row."""
    return " and ".join(f"{column} = {_literal(row[column])}" for column in columns)


def _literal(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool | int | float):
        return str(value).lower()
    return "'" + str(value).replace("'", "''") + "'"
