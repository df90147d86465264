"""The timed region, and the modes of I/O."""

from lib import show, study, tables, words
from lib.database import query


def timed_region() -> show.Shown:
    """What the time of a file covers, from the data dictionary."""
    found = query(
        """
        select comment
        from duckdb_columns()
        where table_name = 'sample' and column_name = 'elapsed_ns'
            and database_name = current_database()
        """
    )
    return show.text(found["comment"].iloc[0].partition(";")[0] + ".")


def reached() -> show.Shown:
    """Cache and durability, requested and effective, for each machine."""
    io = study.settings()["io"]
    said = (
        f"As shipped, the study requests cache `{io['cache']}`, durability "
        f"`{io['durability']}`, and blocks of {words.binary_size(io['block_bytes'])}."
    )
    rows = query(
        """
        select
            host, release, bool_or(stand_in) as stand_in, driver,
            cache_asked, cache_reached, durability_asked, durability_reached, block_bytes,
            count(*) as cells
        from cell
        where status = 'measured'
        group by all
        order by all
        """
    )
    if rows.empty:
        return show.text(
            f"{said} Nothing has been measured yet, so no effective settings are known."
        )
    return show.together(
        show.text(said),
        tables.table(
            rows,
            [
                tables.text(
                    "Measured on",
                    lambda row: words.machine(row["host"], row["release"], row["stand_in"]),
                ),
                tables.text("Driver", "driver"),
                *(
                    tables.text(
                        f"{words.capital(what)}, requested → effective",
                        lambda row, what=what: f"{row[f'{what}_asked']} → {row[f'{what}_reached']}",
                    )
                    for what in ("cache", "durability")
                ),
                tables.number("Block", "block_bytes", words.binary_size),
                tables.number("Runs", "cells"),
            ],
            "Cache and durability, requested and effective",
            name="reached",
        ),
    )
