"""Summaries of a cell's files with 95 % intervals; SQL joins them into `measured_speed`.

The articles do not say which summary they print, and the tool behind them has used several, so all
are computed:

* total: all bytes / all time. Large files dominate (4 of 16 sizes hold 83 % of the bytes).
* mean, median: of the files' rates. Every file counts the same, so small ones, where syncing
  costs most, pull them down.
* trimmed_mean: mean of the rates without the lowest and the highest 20 % (the usual meaning: 20 %
  off *each* end).
* regression: 1 / the slope of time on size, by least squares. The fixed cost of a file goes into
the intercept; the largest files decide.
* theil_sen: the headline. The median of all slopes of time on size between two files; its inverse
  is the speed. The fixed cost of a file goes into the intercept, and a few outliers change
  nothing.

`theil_sen` has its own intervals; those of the others come from resamples (`resampling`,
`summaries`). All treat the sizes as fixed by design and are for one run. In 95 % of cells, an
interval should cover the value of the statistic for infinitely many files of these sizes from the
same machine, including its outliers. With one file of each size (scale tenth) resampling is
impossible, and only the headline has an interval. `prove.sh statistics` measures the coverage.

The same record gives the same interval on every machine, except for rounding in the last digits.
Bytes per nanosecond are GB/s (decimal). Files during which the machine slept and failed cells are
left out.
"""

from collections import defaultdict

import duckdb
import numpy as np

from database import rows
from database.statistics.estimate import CONFIDENCE, Estimate
from database.statistics.regression import regression
from database.statistics.resampling import RESAMPLES
from database.statistics.series import Files, measured
from database.statistics.summaries import SUMMARIES, summaries
from database.statistics.theil_sen import theil_sen

__all__ = [
    "CONFIDENCE",
    "RESAMPLES",
    "STATISTICS",
    "Estimate",
    "all_estimates",
    "fill",
]

STATISTICS = (*SUMMARIES, "regression", "theil_sen")
NO_TIME = "a file took no time: the clock is too coarse for it"


def fill(connection: duckdb.DuckDBPyConnection) -> None:
    """Fill the table `speed_statistic`."""
    series = measured(connection)
    found = [
        (files.cell, files.op, name, one.gbps, one.low, one.high, one.reason)
        for files, by_name in zip(series, all_estimates(series), strict=True)
        for name, one in sorted(by_name.items())
    ]
    rows.insert(connection, "speed_statistic", found)


def all_estimates(series: list[Files]) -> list[dict[str, Estimate]]:
    """All summaries of each series; of those with the same sizes together, several times faster."""
    found = [dict.fromkeys(STATISTICS, Estimate(None, None, None, NO_TIME)) for _ in series]
    designs = defaultdict(list)
    for number, files in enumerate(series):
        if np.all(files.elapsed_ns > 0):
            order = np.argsort(files.size_bytes, kind="stable")
            sizes = files.size_bytes[order]
            designs[sizes.tobytes()].append((number, sizes, files.elapsed_ns[order]))
    for alike in designs.values():
        numbers, (size_bytes, *_), times = zip(*alike, strict=True)
        elapsed_ns = np.stack(times)
        by_name = summaries(size_bytes, elapsed_ns)
        by_name["regression"] = regression(size_bytes, elapsed_ns)
        by_name["theil_sen"] = theil_sen(size_bytes, elapsed_ns)
        for place, number in enumerate(numbers):
            found[number] = {name: by_name[name][place] for name in STATISTICS}
    return found
