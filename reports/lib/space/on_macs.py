"""Sizes measured on Macs that no article states: states, lengths, compaction."""

import pandas as pd

from lib import rounds, show, status, tables, words
from lib.space import compaction, measured, states


def shown(rows: pd.DataFrame) -> show.Shown:
    """Charts of states, other sizes folded; one line if no Mac was measured."""
    if rows.empty:
        return show.text(status.no_mac() or "No sizes have been measured on a Mac yet.")
    return show.together(
        states.shown(rows, "apple"),
        rounds.shown(),
        show.folded("Nominal, apparent and allocated size", _lengths(rows)),
        show.folded("What compaction frees", compaction.shown(rows)),
    )


def _lengths(rows: pd.DataFrame) -> show.Shown | None:
    """The three sizes of the images of the machine measured last."""
    rows = rows[(rows["driver"] == "apple") & rows["state"].isin(("new", "filled"))]
    if rows.empty:
        return None
    rows = rows[measured.newest_machine(rows) & (rows["encryption"] == "none")]
    return tables.table(
        rows,
        [
            tables.sentence("Cell", lambda row: tables.with_small(row["what"], row["scale"])),
            tables.text("State", "state", words.state),
            tables.number("Nominal", "nominal_bytes", words.size),
            tables.number("Apparent", "apparent_bytes", words.size),
            tables.number("Allocated", "allocated_bytes", words.size),
            tables.number("Free inside", _inside),
        ],
        "Three sizes of one image: the requested size, the apparent size of its file or files, "
        "and their allocated size",
        heading="served",
        name="lengths-apple",
    )


def _inside(row: dict) -> str:
    octets = row["volume_free_bytes"]
    return "not known" if words.missing(octets) else words.size(octets)
