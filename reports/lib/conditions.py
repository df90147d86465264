"""How quiet a machine was while it was measured: warnings, load, power, heat, free space."""

import pandas as pd

from lib import show, tables, words
from lib.database import query

WARNINGS = r"""
    with told as (  -- loads differ in each cell: one line for all of them, with their range
        select
            cell, warning,
            try_cast(regexp_extract(warning, '^load was ([0-9.]+) ', 1) as double) as load,
            regexp_replace(warning, '^load was [0-9.]+ ', 'load was {} ') as pattern
        from warning
    )
    select
        host, release, stand_in, pattern, min(load) as lowest, max(load) as highest,
        count(distinct cell) as cells,
        string_agg(distinct protocol, ', ' order by protocol) as protocols
    from told
    inner join cell using (cell)
    where host = $host
    group by host, release, stand_in, pattern
    order by max(started_utc) desc, release, stand_in, cells desc, pattern
"""

CONDITIONS = """
    select
        host, release, stand_in,
        min(load_1min) filter (where moment = 'before') as lowest,
        max(load_1min) filter (where moment = 'before') as highest,
        string_agg(distinct power_source, ', ' order by power_source) as power,
        string_agg(distinct thermal_state, ', ' order by thermal_state) as thermal,
        min(free_bytes) as free,
        min(memory_available_bytes) as memory
    from condition
    inner join cell using (cell)
    where host = $host
    group by host, release, stand_in
    order by max(started_utc) desc, release, stand_in
"""


def warned(host: str) -> pd.DataFrame:
    """The warnings that the records of a host carry, alike ones together."""
    return query(WARNINGS, host=host)


def warnings(rows: pd.DataFrame, host: str) -> show.Shown:
    """Those warnings as a table."""
    if rows.empty:
        return show.text("No warnings.")
    return tables.table(
        [
            {
                "machine": words.machine(row.host, row.release, row.stand_in),
                "warning": row.pattern.replace("{}", words.load(row.lowest, row.highest)),
                "cells": row.cells,
                "protocols": words.listed(
                    [words.name(words.PROTOCOLS, name) for name in words.parts(row.protocols)]
                ),
            }
            for row in rows.itertuples()
        ],
        {"warning": "Warning", "cells": "Cells", "protocols": "Protocols"},
        "Warnings that records carry",
        numbers=["cells"],
        heading="machine",
        name=f"warnings-{host}",
        source=rows,
    )


def table(host: str) -> show.Shown | None:
    """Load, power, heat and what was free around the cells, a line for each release."""
    rows = query(CONDITIONS, host=host)
    if rows.empty:
        return None
    return tables.table(
        [
            {
                "machine": words.machine(row.host, row.release, row.stand_in),
                "load": words.load(row.lowest, row.highest),
                "power": words.told(row.power),
                "thermal": words.told(row.thermal),
                "free": words.size(row.free),
                "memory": words.size(row.memory),
            }
            for row in rows.itertuples()
        ],
        {
            "machine": "Machine",
            "load": "Load before a cell",
            "power": "Power",
            "thermal": "Thermal state",
            "free": "Least free space",
            "memory": "Least free memory",
        },
        "Conditions around the cells",
        numbers=["load", "free", "memory"],
        name=f"conditions-{host}",
        classes="wide",
        source=rows,
    )
