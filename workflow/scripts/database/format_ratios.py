"""What does an image's format cost? Its speed / the native speed of the same run.

Speeds are all bytes / all time: both sides moved the same files, so the ratio is that of the times
for the same work. The interval is made like that of a total (`statistics.summaries`): files are
resampled within each size, on both sides and independently, and the two speeds of each resample are
divided. It holds within the one run.
"""

from dataclasses import dataclass

import duckdb
import numpy as np

from database import rows
from database.statistics import Files, measured_files, resamples
from database.statistics.series import by_design
from database.statistics.summaries import ONE_OF_EACH, outside, quantiles


@dataclass(frozen=True)
class Ratio:
    """A ratio with its interval; None where it cannot be computed, and then why."""

    value: float | None
    low: float | None
    high: float | None
    reason: str | None = None


def fill(connection: duckdb.DuckDBPyConnection) -> None:
    """Fill the table `stg_format_ratio`."""
    pairs = connection.execute("""
        select cell, native_cell, op from stg_format_pair where reason is null order by all
    """).fetchall()
    if not pairs:
        return
    files = {(one.cell, one.op): one for one in measured_files(connection)}
    found = []
    for ours, native, op in pairs:
        one = ratio(files[ours, op], files[native, op])
        found.append((ours, op, one.value, one.low, one.high, one.reason))
    rows.insert(connection, "stg_format_ratio", found)


def ratio(ours: Files, native: Files) -> Ratio:
    """The speed of `ours` / that of `native`, whose files have the same sizes."""
    if np.any(ours.elapsed_ns <= 0) or np.any(native.elapsed_ns <= 0):
        return Ratio(None, None, None, "a file took no time: the clock is too coarse for it")
    (mine,), (theirs,) = by_design([ours]), by_design([native])
    sizes, times = mine.size_bytes, np.concatenate([mine.elapsed_ns, theirs.elapsed_ns])
    totals = times.sum(axis=1)
    value = float(totals[1] / totals[0])
    if len(np.unique(sizes)) == len(sizes):
        return Ratio(value, None, None, ONE_OF_EACH)
    replicates = [resamples(sizes, side).means(row) for side, row in enumerate(times.astype(float))]
    # each side counts by its own total: what a file adds to the logarithm of the ratio
    influence = np.concatenate(times / totals[:, None])[None]
    both = np.concatenate([sizes, sizes + sizes.max()])
    share = float(outside(influence, both)[0])
    return Ratio(value, *quantiles(replicates[1] / replicates[0], share))
