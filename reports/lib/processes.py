"""The processes that serve the images, and the resources they use."""

import pandas as pd

from lib import runs, show, words
from lib.database import query

NONE = "None yet: no measured image was served by another process, as macOS\u2019s own images are."
FORBIDDEN = "could not be inspected, as the system forbids it"


def use() -> pd.DataFrame:
    """The resources that each kind of process used in all passes of a cell in one direction.

    Passes in which a process ended unobserved are left out: its use is unknown.
    """
    return query(
        """
        select
            cell, host, release, stand_in, op, process,
            bool_and(permitted) as permitted,
            sum(cpu_ns) filter (where ended = 0)
                / nullif(sum(elapsed_ns) filter (where ended = 0), 0) as cpu
        from process_use
        inner join cell using (cell)
        group by all
        order by host, release, process, cell, op
        """
    )


def answer(rows: pd.DataFrame) -> show.Shown | None:
    """For each machine, the range of each process while writing and while reading."""
    keys = ["host", "release", "stand_in"]
    parts = [_answer(words.machine(*key), part) for key, part in rows.groupby(keys, sort=False)]
    return show.together(*parts)


def _answer(machine: str, rows: pd.DataFrame) -> show.Shown:
    shares = []
    for process, part in rows.groupby("process"):
        known = part[part["permitted"] & part["cpu"].notna()]
        spans = [
            f"{words.percents(of['cpu'].min(), of['cpu'].max())} while {verb}"
            for _, verb, of in runs.directions(known)
        ]
        why = "ended before it was counted" if part["permitted"].all() else FORBIDDEN
        said = words.listed(spans) if spans else why
        shares.append(f"{show.code(process)} {said}")
    return show.text(f"**{machine}**, processor time in % of one core: {'; '.join(shares)}.")
