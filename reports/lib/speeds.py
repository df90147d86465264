"""The charts of measured speeds: by image and state, a pair for each driver, storage and scale."""

from collections.abc import Iterator

import pandas as pd

from lib import charts, runs, show, words

VERBS = {"write": "Writing", "read": "Reading"}
WARM = "reads may have come from memory"  # as measured_speed.why_not_comparable says it


def machine_charts(name: str, rows: pd.DataFrame) -> show.Shown | None:
    """The measured speeds of one machine, a pair of charts (write, read) for each driver.

    Rows: of `runs.speeds()`. Charts of one direction have one axis, so that drivers can be told
    apart by eye although they stand in no chart together.
    """
    rows = rows.dropna(subset=["theil_sen_gbps"])
    if rows.empty:
        return None
    rows = rows.assign(
        image=[
            words.image(row["format"], row["encryption"], row["driver"], row["band_bytes"])
            for row in rows.to_dict("records")
        ],
        state=[runs.state_of(row) for row in rows.to_dict("records")],
        memory=rows["why_not_comparable"].fillna("").str.contains(WARM, regex=False),
    )
    tops = rows.groupby("op")[["theil_sen_gbps", "theil_sen_gbps_high"]].max().max(axis=1) * 1.05
    keys = ["driver", "storage", "scale"]
    parts = [
        _pair("-".join([name, *key]), part, tops)
        for key, part in rows.groupby(keys, sort=False, dropna=False)
    ]
    return show.together(*parts)


def all_charts(rows: pd.DataFrame) -> Iterator[show.Shown]:
    """The same for every machine, the last measured first."""
    for number, (_, part) in enumerate(rows.groupby("machine", sort=False), start=1):
        shown = machine_charts(f"chart-measured-{number}", part)
        if shown is not None:
            yield shown


def _pair(name: str, rows: pd.DataFrame, tops: pd.Series) -> show.Shown:
    repeats = rows["repeat"].nunique()
    rows = rows[rows["repeat"] == rows["repeat"].min()]
    first = rows.iloc[0]
    pair = []
    for op, verb in VERBS.items():
        part = rows[rows["op"] == op]
        if part.empty:
            continue
        # the title tells of reads that came from the disk, if there are any
        told = part if part["memory"].all() else part[~part["memory"]]
        speed = told["theil_sen_gbps"]
        title = f"{verb}: {_span(speed.min(), speed.max())} GB/s ({first['driver']})"
        description = (
            f"Points: measured {op} speeds of {first['machine']}, driver {first['driver']}, "
            "by image and state, with 95 % intervals"
        )
        pair.append((f"{name}-{op}", charts.by_image(part, title, description, float(tops[op]))))
    storage = words.name(words.STORAGES, first["storage"])
    return show.row(
        *pair,
        caption=f"{first['served']}; on {storage}, scale {first['scale']}. "
        "Theil-Sen slope of time on size with its 95 % interval; one cell a line."
        + (" Hollow: these reads may have come from memory." if rows["memory"].any() else "")
        + (f" The first of {repeats} repeats." if repeats > 1 else ""),
        rows=f"""
            select
                cell, op, theil_sen_gbps, theil_sen_gbps_low, theil_sen_gbps_high, files,
                comparable, why_not_comparable
            from measured_speed
            where host = '{first["host"]}' and release = '{first["release"]}'
                and driver = '{first["driver"]}' and storage = '{first["storage"]}'
                and scale = '{first["scale"]}' and repeat = {first["repeat"]}
            order by cell, op desc
        """,
    )


def _span(low: float, high: float) -> str:
    return words.gbps(low) if words.gbps(low) == words.gbps(high) else words.interval(low, high)


def remarks(rows: pd.DataFrame) -> show.Shown | None:
    """What must be known of images that our own code served; nothing where it served none."""
    ours = rows[rows["driver"] == "portable"]
    if ours.empty:
        return None
    told = [
        "**Driver portable** is our own reading and writing of the formats, without macOS: it "
        "shows what a format costs by itself, and nothing of how fast macOS is. Inside the image "
        "the files lie on a simple volume of our own, not on APFS. Two drivers never stand in "
        "one chart."
    ]
    if ((ours["format"] == "ASIF") & (ours["encryption"] != "none")).any():
        told.append(
            "**Encrypted ASIF** (marked \u201cown layout\u201d): how Apple lays out an encrypted "
            "ASIF image is not publicly known, so ours has a layout of our own, which macOS cannot "
            "open. Its figures say nothing of Apple\u2019s."
        )
    return show.callout("note", "Images of our own", "\n\n".join(told))
