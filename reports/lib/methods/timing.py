"""What is timed, and with what settings."""

from lib import show, study, tables, words
from lib.database import query


def timed_region() -> show.Shown:
    """What the time of a file covers, in the words of the data dictionary."""
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
    asked = study.settings()["io"]
    said = (
        f"As shipped, the study requests cache `{asked['cache']}`, durability "
        f"`{asked['durability']}`, and blocks of {words.binary_size(asked['block_bytes'])}."
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
    lines = [
        row
        | {
            "machine": words.machine(row["host"], row["release"], row["stand_in"]),
            "cache": f"{row['cache_asked']} → {row['cache_reached']}",
            "durability": f"{row['durability_asked']} → {row['durability_reached']}",
            "block": words.binary_size(row["block_bytes"]),
        }
        for row in rows.to_dict("records")
    ]
    return show.together(
        show.text(said),
        tables.table(
            lines,
            {
                "machine": "Measured on",
                "driver": "Driver",
                "cache": "Cache, requested → effective",
                "durability": "Durability, requested → effective",
                "block": "Block",
                "cells": "Cells",
            },
            "Cache and durability, requested and effective",
            numbers=["block", "cells"],
            name="reached",
            source=rows,
        ),
    )
