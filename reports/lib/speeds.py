"""Charts of measured speeds by image and state, a pair for each driver, storage and scale."""

import pandas as pd

from lib import reasons, runs, show, words
from lib.charts.parts import end
from lib.charts.speeds import by_image
from lib.database import alike


def machine_charts(name: str, rows: pd.DataFrame) -> show.Shown | None:
    """The measured speeds of one machine, a pair of charts (write, read) for each driver.

    Rows: of `runs.over_runs()`. Charts of one direction have the same axis, so that drivers can be
    compared by eye although no chart mixes them.
    """
    if rows.empty:
        return None
    rows = rows.assign(
        image=list(map(words.image_of, rows.to_dict("records"))),
        state=[runs.state_of(row) for row in rows.to_dict("records")],
        memory=reasons.having(rows["why_not_comparable"], "read-from-memory"),
    )
    keys = ["driver", "storage", "scale"]
    tops = {op: end(part) for op, part in rows.groupby("op")}
    parts = [
        _pair("-".join([name, *key]), part, tops)
        for key, part in rows.groupby(keys, sort=False, dropna=False)
    ]
    return show.together(*parts)


def _pair(name: str, rows: pd.DataFrame, tops: dict[str, float]) -> show.Shown:
    first = rows.iloc[0]
    pair = []
    for op, verb, part in runs.directions(rows):
        # the title tells of reads that came from the disk, if there are any
        titled = part if part["memory"].all() else part[~part["memory"]]
        ends = (words.gbps(end) for end in titled["gbps"].agg(["min", "max"]))
        title = f"{words.capital(verb)}: {words.span(*ends)} GB/s ({first['driver']})"
        description = (
            f"Points: measured {op} speeds of {first['machine']}, driver {first['driver']}, "
            "by image and state, with 95 % intervals across runs"
        )
        pair.append((f"{name}-{op}", by_image(part, title, description, tops[op])))
    storage = words.storage(first["storage"])
    return show.row(
        *pair,
        caption=f"{first['served']}; on {storage}, scale {first['scale']}. "
        "Speed: the inverse of the Theil\u2013Sen slope of time on size. Each line is one cell. "
        f"{runs.counted(rows)}"
        + (" Hollow: these reads may have come from memory." if rows["memory"].any() else ""),
        rows=f"""
            select
                cell, op, runs, gbps, gbps_low, gbps_high, spread, files,
                comparable, why_not_comparable
            from repeated_speed
            where statistic = 'theil_sen'
                and {alike(first, "host", "release", "driver", "storage", "scale")}
            order by cell, op desc
        """,
    )
