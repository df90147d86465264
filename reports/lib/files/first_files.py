"""The first file of a pass, and effects of order."""

import pandas as pd

from lib import show, tables, words


def shown(rows: pd.DataFrame) -> show.Shown | None:
    """The first file and effects of order under the newest releases; others are folded."""
    rows = rows[rows["first_file_ratio"].notna()]
    newest = rows.groupby("host")["release"].transform("first") == rows["release"]
    return show.together(
        _table(rows[newest], "first-files"),
        show.folded(
            "The same under earlier releases", _table(rows[~newest], "first-files-earlier")
        ),
    )


def _table(passes: pd.DataFrame, name: str) -> show.Shown:
    return tables.table(
        [
            dict([("served", served), *part.groupby("op")])
            for served, part in passes.groupby("served", sort=False)
        ],
        [
            tables.text("Machine", "served"),
            *(
                tables.number(heading, lambda parts, op=op: parts.get(op), say)
                for op in words.VERBS
                for heading, say in (
                    (f"{words.capital(op)}: first file / median of its size", _first),
                    (f"{words.capital(op)}: order matters in", _order),
                )
            ),
        ],
        "Rate of the first file of a pass / median rate of its size (median of the passes, with "
        "the lowest and the highest), and the passes in which the order of files matters",
        name=name,
        classes="wide",
        source=passes,
    )


def _first(passes: pd.DataFrame) -> tables.Markup:
    ratios = passes["first_file_ratio"]
    span = words.span(words.ratio(ratios.min()), words.ratio(ratios.max()))
    return tables.with_small(words.ratio(ratios.median()), span if len(ratios) > 1 else "")


def _order(passes: pd.DataFrame) -> tables.Markup:
    counting = passes["order_counts"].fillna(False).astype(bool)
    later = (passes.loc[counting, "order_correlation"] < 0).sum()
    return tables.with_small(
        f"{counting.sum()} of {len(passes)}", f"{later} slower" if counting.any() else ""
    )
