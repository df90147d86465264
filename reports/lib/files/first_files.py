"""How the first file of a pass did, and where the order of files counts."""

import pandas as pd

from lib import show, tables, words
from lib.files.measured import VERBS


def shown(rows: pd.DataFrame) -> show.Shown | None:
    """How the first file of a pass did, and where order counts: newest releases, others folded."""
    rows = rows[rows["first_file_ratio"].notna()]
    if rows.empty:
        return None
    newest = rows.groupby("host")["release"].transform("first") == rows["release"]
    shown = _table(rows[newest], "first-files")
    if newest.all():
        return shown
    earlier = _table(rows[~newest], "first-files-earlier")
    return show.together(shown, show.folded("The same under earlier releases", earlier))


def _table(rows: pd.DataFrame, name: str) -> show.Shown:
    lines = []
    for served, part in rows.groupby("served", sort=False):
        line = {"served": served}
        for op in VERBS:
            of = part[part["op"] == op]
            if of.empty:
                continue
            counting = of["order_counts"].fillna(False).astype(bool)
            later = (of.loc[counting, "order_correlation"] < 0).sum()
            span = [words.ratio(end) for end in (of["first_file_ratio"].agg(["min", "max"]))]
            line |= {
                f"{op} first": tables.with_small(
                    words.ratio(of["first_file_ratio"].median()),
                    f"{span[0]} to {span[1]}" if len(of) > 1 else "",
                ),
                f"{op} counts": tables.with_small(
                    f"{counting.sum()} of {len(of)}", f"{later} slower" if counting.any() else ""
                ),
            }
        lines.append(line)
    columns = {
        "served": "Machine",
        "write first": "Write: first file / median of its size",
        "write counts": "order matters in",
        "read first": "Read: first file / median of its size",
        "read counts": "order matters in",
    }
    return tables.table(
        lines,
        columns,
        "Rate of the first file of a pass / median rate of its size (median of the passes, with "
        "the lowest and the highest), and the passes in which the order of files matters",
        numbers=list(columns)[1:],
        name=name,
        classes="wide",
        source=FIRST_FILES,
    )


FIRST_FILES = """
    select
        host, release, driver, op, count(*) as passes,
        median(first_file_ratio) as first_file_ratio,
        count(*) filter (where order_counts) as order_counts,
        count(*) filter (where order_counts and order_correlation < 0) as later_slower
    from file_summary
    inner join cell using (cell)
    where first_file_ratio is not null
    group by all
    order by all
"""
