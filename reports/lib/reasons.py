"""Reasons: the codes that the database has are put into words here, once, for every page."""

from collections.abc import Iterable, Mapping

import pandas as pd

from lib import words

Codes = Iterable[str] | None


def having(column: pd.Series, code: str) -> pd.Series:
    """Which rows of a column of reasons have this one."""
    return column.map(lambda codes: not words.missing(codes) and code in codes).astype(bool)


def few(codes: Codes, row: Mapping[str, object] | None = None) -> list[str]:
    """Reasons in few words, as they stand in every line of a table.

    `row` is the row that they are of: some name one of its values.
    """
    known = dict(row or {})
    if "protocol" in known:
        known["protocol"] = words.protocol(known["protocol"])
    return [words.REASONS[code]["few"].format_map(known) for code in _ordered(codes)]


def _ordered(codes: Codes) -> list[str]:
    return [] if words.missing(codes) else sorted(codes, key=list(words.REASONS).index)
