"""The one way from a page to the data: `query("select ...")` gives a data frame.

The database is a file that the workflow makes from `data/`; pages only ever read it.
"""

import json
import os
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd

# What a page cannot show, or what would let a text look like another one: control characters but
# for the ends of lines, what turns the direction of writing (Unicode's Bidi_Control), halves of
# characters. Texts of records may be anybody's.
UNSHOWN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
LONGEST = 10_000  # characters of a text on a page; nothing of ours is nearly as long

DEFAULT = Path(__file__).resolve().parents[2] / "data" / "diskbench.duckdb"


class NoDatabaseError(Exception):
    """The database is missing: say so in one sentence instead of a traceback."""

    def _render_traceback_(self) -> list[str]:
        """What IPython (and so Quarto and Jupyter) shows for this error."""
        return [f"NoDatabaseError: {self}"]


def database_file() -> Path:
    """Where the database is; `DISKBENCH_DATABASE` names another one (the tests do)."""
    return Path(os.environ.get("DISKBENCH_DATABASE") or DEFAULT)


@cache
def connect() -> duckdb.DuckDBPyConnection:
    """Open the database, read-only; nothing is fetched from anywhere (extensions stay off)."""
    file = database_file()
    if not file.is_file():
        raise NoDatabaseError(
            f"there is no database at data/{file.name} yet; run: bash workflow/run.sh"
        )
    off = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    return duckdb.connect(str(file), read_only=True, config=off)


def query(sql: str, **parameters: object) -> pd.DataFrame:
    """Run one SQL statement; `$name` in it stands for a parameter of that name.

    Texts are as a page can show them (`shown`). The frame's `attrs["sql"]` is the statement with
    the parameters written out: what a link to its rows carries.
    """
    frame = connect().execute(sql, parameters or None).df()
    for name in frame.select_dtypes(["object", "str"]):
        frame[name] = _shown(_hashable(frame[name]))
    frame.attrs["sql"] = written_out(sql, parameters)
    if log := os.environ.get("DISKBENCH_QUERY_LOG"):  # what a bench asks again at another scale
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(json.dumps(frame.attrs["sql"]) + "\n")
    return frame


def _hashable(column: pd.Series) -> pd.Series:
    """Lists of the database as tuples, so that rows can be grouped by them."""
    if not any(isinstance(value, np.ndarray | list) for value in column):
        return column
    return column.map(tuple, na_action="ignore")


def _shown(column: pd.Series) -> pd.Series:
    texts = {value for value in column if isinstance(value, str)}
    changed = {text: now for text in texts if (now := shown(text)) != text}
    return (
        column.map(lambda value: changed.get(value, value), na_action="ignore")
        if changed
        else column
    )


def shown(text: str) -> str:
    """A text with a mark in the place of what cannot be shown, and cut where it has no end."""
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
