"""Words for the database's codes of reasons, for all pages."""

from collections.abc import Iterable, Mapping

import pandas as pd

from lib import words

Codes = Iterable[str] | None


def having(column: pd.Series, code: str) -> pd.Series:
    """Which rows of a column of reasons contain this code."""
    return column.map(lambda codes: not words.missing(codes) and code in codes).astype(bool)


def few(codes: Codes, row: Mapping[str, object] | None = None) -> list[str]:
    """Reasons in few words, for the lines of a table.

    `row` is their row: some reasons name one of its values.
    """
    known = dict(row or {})
    if "protocol" in known:
        known["protocol"] = words.protocol(known["protocol"])
    return [words.REASONS[code]["few"].format_map(known) for code in _ordered(codes)]


def depends(why: object) -> str:
    """The mark of a speed that depends on the statistic, with the reason (`statistics_differ`)."""
    return "" if words.missing(why) else f"{few(['statistics-differ'])[0]}: {why}"


def _ordered(codes: Codes) -> list[str]:
    return [] if words.missing(codes) else sorted(codes, key=list(words.REASONS).index)
