"""Every summary of a cell's files with a 95 % interval; SQL joins them into `measured_speed`.

The articles do not say which summary they print, and the tool behind them has used several, so all
are computed:

* total: all bytes / all time. Large files dominate (4 of 16 sizes hold 83 % of the bytes).
* mean, median: of the files' own rates. Every file counts the same, so small ones, where opening
  and syncing cost most, pull them down.
* trimmed_mean: mean of the rates without the lowest and the highest 20 % (the usual meaning: 20 %
  off *each* end).
* theil_sen: the headline. The median of all slopes of time on size between two files; its inverse
  is the speed. What a file costs whatever its size goes into the intercept, and a few outliers
  change nothing.

scipy computes the trimmed mean and Theil-Sen, the latter with its own interval (Sen 1968, from
Kendall's tau). The other intervals are percentile bootstraps over files: 2000 resamples, each of as
many files of each size as were measured, drawn from the files of that size, because the sizes are
the design's and not a matter of chance. Where each size was measured once (scale tenth) nothing can
be resampled, and there is no interval; with few sets intervals are a little narrow (by a tenth with
five). They hold within one run.

The resamples' seed is the SHA-256 of cell and direction, and they are drawn with the raw output of
PCG64, whose stream NumPy promises to keep (it does not promise that for the methods of Generator):
the same record gives the same interval on every run and machine.

Bytes per nanosecond are GB/s (decimal). Files during which the machine slept are left out, and so
are cells that failed.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import duckdb
import numpy as np
import pandas as pd
import scipy.stats

RESAMPLES = 2000
CONFIDENCE = 0.95
TRIMMED = 0.2
STATISTICS = ("total", "mean", "median", "trimmed_mean", "theil_sen")


@dataclass(frozen=True)
class Files:
    """The files of one cell in one direction, in their order."""

    cell: str
    op: str
    size_bytes: np.ndarray
    elapsed_ns: np.ndarray


@dataclass(frozen=True)
class Estimate:
    """A speed in GB/s with its interval; None where it cannot be computed, and then why."""

    gbps: float | None
    low: float | None
    high: float | None
    reason: str | None = None


def fill(connection: duckdb.DuckDBPyConnection) -> None:
    """Fill the table `speed_statistic`."""
    rows = [
        (files.cell, files.op, name, one.gbps, one.low, one.high, one.reason)
        for files in measured_files(connection)
        for name, one in estimates(files).items()
    ]
    if rows:
        columns = ["cell", "op", "statistic", "gbps", "gbps_low", "gbps_high", "reason"]
        frame = pd.DataFrame(rows, columns=columns)
        connection.register("computed", frame)
        # a missing number comes out of pandas as NaN
        connection.execute("""
            insert into speed_statistic
            select
                cell, op, statistic,
                nullif(gbps, 'nan'), nullif(gbps_low, 'nan'), nullif(gbps_high, 'nan'),
                reason
            from computed
            order by cell, op, statistic
        """)
        connection.unregister("computed")


def measured_files(connection: duckdb.DuckDBPyConnection) -> Iterator[Files]:
    """The files of each measured cell and direction; those with a sleep in them are left out."""
    columns = connection.execute("""
        select sample.cell || '/' || sample.op as series, size_bytes, elapsed_ns
        from sample
        inner join cell using (cell)
        where cell.status = 'measured' and not slept
        order by sample.cell, sample.op, "order"
    """).fetchnumpy()
    series = np.asarray(columns["series"], dtype=object)
    starts = [at for at in range(len(series)) if at == 0 or series[at] != series[at - 1]]
    ends = [*starts[1:], len(series)][: len(starts)]
    for start, end in zip(starts, ends, strict=True):
        cell, _, op = series[start].rpartition("/")
        yield Files(
            cell,
            op,
            np.asarray(columns["size_bytes"][start:end]),
            np.asarray(columns["elapsed_ns"][start:end]),
        )


def estimates(files: Files) -> dict[str, Estimate]:
    """All summaries of the files."""
    if np.any(files.elapsed_ns <= 0):
        nothing = Estimate(None, None, None, "a file took no time: the clock is too coarse for it")
        return dict.fromkeys(STATISTICS, nothing)
    return _bootstrapped(files) | {"theil_sen": theil_sen(files)}


def theil_sen(files: Files) -> Estimate:
    """1 / the Theil-Sen slope of time on size. A slope that is not above 0 is no speed."""
    if len(np.unique(files.size_bytes)) < 2:
        return Estimate(None, None, None, "all files have one size: no slope")
    # with very few files the variance for the interval is below 0: no interval, said below
    with np.errstate(invalid="ignore"):
        slope, _, low, high = scipy.stats.theilslopes(
            files.elapsed_ns, files.size_bytes, CONFIDENCE
        )
    if slope <= 0:
        return Estimate(None, None, None, "larger files took no longer: no slope")
    if not low > 0:
        slowest = 1 / float(high) if high > 0 else None
        return Estimate(
            1 / float(slope),
            slowest,
            None,
            "the interval has no upper end: too few files or too much noise",
        )
    return Estimate(1 / float(slope), 1 / float(high), 1 / float(low))


def resampled(sizes: np.ndarray, seed: int) -> np.ndarray:
    """Numbers of files, `RESAMPLES` rows; each size has as many places in a row as it has files.

    In each place every file of its size is as likely as the other.
    """
    _, first, counts = np.unique(np.sort(sizes), return_index=True, return_counts=True)
    first, counts = (np.repeat(of, counts).astype(np.uint64) for of in (first, counts))
    raw = np.random.PCG64(seed).random_raw(RESAMPLES * len(sizes)).reshape(RESAMPLES, -1)
    # the upper 32 bits scaled to 0 ... count - 1; uneven by count / 2**32, which does not matter
    within = ((raw >> np.uint64(32)) * counts) >> np.uint64(32)
    return np.argsort(sizes, kind="stable")[first + within]


def seed_of(cell: str, op: str) -> int:
    """A seed that depends on nothing but the names of cell and direction."""
    return int.from_bytes(hashlib.sha256(f"{cell}/{op}".encode()).digest()[:16], "big")


def _bootstrapped(files: Files) -> dict[str, Estimate]:
    sizes, times = files.size_bytes, files.elapsed_ns
    # sorted once here, so that a resample is sorted by sorting its file numbers
    by_rate = np.argsort(sizes / times, kind="stable")
    sizes, times = sizes[by_rate], times[by_rate]
    rates = sizes / times
    draws = np.sort(resampled(sizes, seed_of(files.cell, files.op)).astype(np.uint32), axis=1)
    drawn = rates[draws]
    middle = len(rates) // 2
    odd = len(rates) % 2
    cut = int(TRIMMED * len(rates))
    replicates = {
        "total": sizes[draws].sum(axis=1) / times[draws].sum(axis=1),
        "mean": drawn.mean(axis=1),
        "median": drawn[:, middle] if odd else (drawn[:, middle - 1] + drawn[:, middle]) / 2,
        "trimmed_mean": drawn[:, cut : len(rates) - cut].mean(axis=1),
    }
    point = {
        "total": sizes.sum() / times.sum(),
        "mean": rates.mean(),
        "median": np.median(rates),
        "trimmed_mean": scipy.stats.trim_mean(rates, TRIMMED),
    }
    if len(np.unique(sizes)) == len(sizes):
        why = "one file of each size: nothing to resample for an interval"
        return {name: Estimate(float(value), None, None, why) for name, value in point.items()}
    tail = (1 - CONFIDENCE) / 2
    return {
        name: Estimate(float(point[name]), *map(float, np.quantile(values, [tail, 1 - tail])))
        for name, values in replicates.items()
    }
