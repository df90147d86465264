"""Every summary of a cell's files with a 95 % interval; SQL joins them into `measured_speed`.

The articles do not say which summary they print, and the tool behind them has used several, so all
are computed:

* total: all bytes / all time. Large files dominate (4 of 16 sizes hold 83 % of the bytes).
* mean, median: of the files' own rates. Every file counts the same, so small ones, where syncing
  costs most, pull them down.
* trimmed_mean: mean of the rates without the lowest and the highest 20 % (the usual meaning: 20 %
  off *each* end).
* regression: 1 / the slope of time on size, by least squares. What a file costs whatever its size
  goes into the intercept; the largest files decide.
* theil_sen: the headline. The median of all slopes of time on size between two files; its inverse
  is the speed. What a file costs whatever its size goes into the intercept, and a few outliers
  change nothing.

How the intervals are made is told where it is done: `theil_sen` has its own, those of the others
come from resamples (`resampling`, `summaries`). All take the sizes for the design's and not for a
matter of chance, and hold within one run. What an interval claims is to hold, in 95 % of cells,
what the statistic would be of endlessly many files of these sizes from the same machine, outliers
included if it makes any. Where each size was measured once (scale tenth) nothing can be resampled,
and only the headline has an interval. `prove.sh statistics` shows how often they hold.

The same record gives the same interval on every run and machine, but for rounding in the last
digits. Bytes per nanosecond are GB/s (decimal). Files during which the machine slept are left out,
and so are cells that failed.
"""

from collections.abc import Iterable

import duckdb
import numpy as np

from database import rows
from database.statistics.estimate import CONFIDENCE, Estimate
from database.statistics.regression import regression
from database.statistics.resampling import RESAMPLES, resamples
from database.statistics.series import Files, by_design, measured_chunks
from database.statistics.summaries import SUMMARIES, summaries
from database.statistics.theil_sen import theil_sen

__all__ = [
    "CONFIDENCE",
    "RESAMPLES",
    "STATISTICS",
    "Estimate",
    "Files",
    "all_estimates",
    "by_design",
    "estimates",
    "fill",
    "measured_chunks",
    "resamples",
]

STATISTICS = (*SUMMARIES, "regression", "theil_sen")
NO_TIME = "a file took no time: the clock is too coarse for it"


def fill(connection: duckdb.DuckDBPyConnection) -> None:
    """Fill the table `speed_statistic`, so many cells at a time."""
    for chunk in measured_chunks(connection):
        found = [
            (files.cell, files.op, name, one.gbps, one.low, one.high, one.reason)
            for files, by_name in zip(chunk, all_estimates(chunk), strict=True)
            for name, one in sorted(by_name.items())
        ]
        rows.insert(connection, "speed_statistic", found)


def estimates(files: Files) -> dict[str, Estimate]:
    """All summaries of the files."""
    return all_estimates([files])[0]


def all_estimates(series: Iterable[Files]) -> list[dict[str, Estimate]]:
    """All summaries of each series, those of one design together: it is several times faster."""
    series = list(series)
    found = [dict.fromkeys(STATISTICS, Estimate(None, None, None, NO_TIME)) for _ in series]
    timed = [number for number, files in enumerate(series) if np.all(files.elapsed_ns > 0)]
    for alike in by_design([series[number] for number in timed]):
        by_name = summaries(alike.size_bytes, alike.elapsed_ns)
        by_name["regression"] = regression(alike.size_bytes, alike.elapsed_ns)
        by_name["theil_sen"] = theil_sen(alike.size_bytes, alike.elapsed_ns)
        for place, number in enumerate(alike.numbers):
            found[timed[number]] = {name: by_name[name][place] for name in STATISTICS}
    return found
