"""What is out of date, missing, failed and skipped under the newest release of each host."""

import pandas as pd

from lib import show, tables, words
from lib.fleet import standing

MOST_LINES = 12  # of a table; longer ones are folded
MOST_IMAGES = 6  # of a line
STUDY = ["protocol", "scale", "storage"]


def shown(rows: pd.DataFrame, *states: str) -> show.Shown:
    """The cells in these states, a line for each host, study and reason."""
    if rows.empty:
        return show.text("No records yet.")
    rows = rows[rows["newest"] & rows["state"].isin(states)]
    if rows.empty:
        return show.text("None.")
    lines = [_line(part) for _, part in _groups(rows)]
    name = states[0].replace(" ", "-")
    caption = f"Cells {' or '.join(states)}, by host, study and reason"
    table = tables.table(
        lines,
        {
            "study": "Protocol, scale",
            "cells": "Cells",
            "what": "Which",
            "note": "Why",
        },
        caption,
        numbers=["cells"],
        heading="machine",
        name=name,
        classes="wide",
        source=_source(states),
    )
    counted = (
        f"**{words.count(len(rows), 'cell')}** on {words.count(rows['host'].nunique(), 'host')}."
    )
    if len(lines) > MOST_LINES:
        table = show.folded(f"{caption}: {words.count(len(lines), 'line')}", table)
    return show.together(show.text(counted), table)


def _groups(rows: pd.DataFrame):
    """Hosts in their order, and in each the studies in theirs."""
    return rows.groupby(["host", *STUDY, "state", "reason"], sort=False, dropna=False)


def _line(part: pd.DataFrame) -> dict[str, object]:
    first = part.iloc[0]
    machine = words.machine(first["host"], first["release"], first["stands_in"])
    study = f"{words.name(words.PROTOCOLS, first['protocol'])}, {first['scale']}"
    where = [] if first["storage"] == "internal" else [words.name(words.STORAGES, first["storage"])]
    where += [f"driver {driver}" for driver in dict.fromkeys(part["driver"]) if driver != "native"]
    return {
        "machine": machine,
        "study": tables.with_small(study, ", ".join(where)),
        "cells": f"{len(part):,}",
        "what": _images(part),
        "note": _why(first),
    }


def _images(part: pd.DataFrame) -> tables.Markup:
    """The images of some cells, each once, with the states and repeats that are meant."""
    images = dict.fromkeys(
        words.image(row["format"], row["encryption"], row["driver"], row["band_bytes"])
        for row in part.to_dict("records")
    )
    listed = list(images)
    more = len(listed) - MOST_IMAGES
    text = "; ".join(listed[:MOST_IMAGES]) + (f"; and {more} more" if more > 0 else "")
    small = []
    if set(part["protocol"]) == {"usage-phases"}:
        there = set(part["phase"])
        small += [said for phase, said in words.PHASES.items() if phase in there]
    repeats = sorted(set(part["repeat"]))
    if repeats != [1]:
        small.append(f"repeat {words.listed([str(repeat) for repeat in repeats])}")
    return tables.with_small(text, ", ".join(small))


def _why(row: pd.Series) -> tables.Markup:
    """Words for the state; the record's own are data, whatever is in them."""
    if row["state"] == "out of date":
        return tables.markup(f"last under {words.release(row['recorded_release'])}")
    reason = str(words.told(row["reason"], "no reason given"))
    if row["state"] != "missing":
        return tables.status(row["state"], reason)
    if words.missing(row["cell"]):
        # our own words, with the slugs of hosts in them
        return tables.markup(reason)
    return tables.markup(words.slugs(reason))


def _source(states: tuple[str, ...]) -> str:
    wanted = ", ".join(f"'{state}'" for state in states)
    return f"""
        select *
        from host_cell
        where newest and state in ({wanted})
        order by host, state, protocol, scale, storage, driver, format, encryption, repeat, phase
    """


def counted(rows: pd.DataFrame) -> pd.DataFrame:
    """How many cells of each host are in each state under its newest release."""
    now = rows[rows["newest"]]
    frame = now.groupby(["host", "stands_in", "state"], as_index=False).size()
    return frame.assign(
        machine=[standing.host(row.host, row.stands_in) for row in frame.itertuples()]
    )
