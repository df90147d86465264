"""Sizes measured on Macs that no article states: states, lengths, compaction."""

import pandas as pd

from lib import rounds, show, status
from lib.space import compaction, lengths, states


def shown(rows: pd.DataFrame) -> show.Shown:
    """Charts of states, other sizes folded; one line if no Mac was measured."""
    if rows.empty:
        return show.text(status.no_mac() or "No sizes have been measured on a Mac yet.")
    return show.together(
        states.shown(rows, "apple"),
        rounds.shown(),
        show.folded("Nominal, apparent and allocated size", lengths.shown(rows, "apple")),
        show.folded("What compaction frees", compaction.shown(rows, "apple")),
    )
