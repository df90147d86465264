"""The warnings in the records of a host."""

import pandas as pd

from lib import show, tables, words
from lib.database import query

WARNINGS = r"""
    with grouped as (
        -- load and free space differ in each cell: one line for all of them, with their range
        select
            cell,
            try_cast(regexp_extract(warning, '^(load was|only) ([0-9.]+) ', 2) as double) as number,
            regexp_replace(warning, '^(load was|only) [0-9.]+ ', '\1 {} ') as pattern
        from warning
    )
    select
        host, release, stand_in, pattern, min(number) as lowest, max(number) as highest,
        count(distinct cell) as cells,
        string_agg(distinct protocol, ', ' order by protocol) as protocols
    from grouped
    inner join cell using (cell)
    where host = $host
    group by host, release, stand_in, pattern
    order by max(started_utc) desc, release, stand_in, cells desc, pattern
"""

MOST = 100  # kinds in the table of a host; ours are some fifty, of which few occur together


def rows(host: str) -> pd.DataFrame:
    """The warnings, equal ones grouped, those of the release measured last first."""
    return query(WARNINGS, host=host)


def table(rows: pd.DataFrame, host: str) -> show.Shown | None:
    """The first of the rows as a table, and how many more there are."""
    shown = tables.table(
        rows.head(MOST),
        [
            tables.sentence(
                "Warning",
                lambda row: row["pattern"].replace(
                    "{}", words.hundredths(row["lowest"], row["highest"])
                ),
            ),
            tables.number("Runs", "cells"),
            tables.text("Protocols", "protocols", _protocols),
        ],
        "Warnings that records carry",
        heading=lambda row: words.machine(row["host"], row["release"], row["stand_in"]),
        name=f"warnings-{host}",
        source=rows,
    )
    more = len(rows) - MOST
    return show.together(
        shown, show.text(f"And {words.count(more, 'kind')} more.") if more > 0 else None
    )


def _protocols(slugs: str) -> str:
    return words.listed([words.protocol(slug) for slug in words.parts(slugs)])
