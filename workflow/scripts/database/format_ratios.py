"""What does an image's format cost? Its speed / the native speed of the same run.

Speeds are all bytes / all time: both sides moved the same files, so the ratio is that of the times
for the same work. The interval is the percentile bootstrap of `statistics`: files are resampled
within each size, on both sides and independently, and the two speeds of each resample are divided.
Resamples are those of the cells' own intervals, from the same seeds. It holds within the one run.
"""

from dataclasses import dataclass

import duckdb
import numpy as np
import pandas as pd

from database.statistics import CONFIDENCE, Files, measured_files, resampled, seed_of


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
    rows = []
    for ours, native, op in pairs:
        one = ratio(files[ours, op], files[native, op])
        rows.append((ours, op, one.value, one.low, one.high, one.reason))
    columns = ["cell", "op", "ratio", "ratio_low", "ratio_high", "reason"]
    frame = pd.DataFrame(rows, columns=columns)
    # a column without any figure would come without a type
    frame = frame.astype(dict.fromkeys(["ratio", "ratio_low", "ratio_high"], "float64"))
    connection.register("computed", frame)
    connection.execute("""
        insert into stg_format_ratio
        select
            cell, op,
            nullif(ratio, 'nan'), nullif(ratio_low, 'nan'), nullif(ratio_high, 'nan'),
            reason
        from computed
    """)
    connection.unregister("computed")


def ratio(ours: Files, native: Files) -> Ratio:
    """The speed of `ours` / that of `native`, whose files have the same sizes."""
    if np.any(ours.elapsed_ns <= 0) or np.any(native.elapsed_ns <= 0):
        return Ratio(None, None, None, "a file took no time: the clock is too coarse for it")
    value = _speed(ours.size_bytes, ours.elapsed_ns) / _speed(native.size_bytes, native.elapsed_ns)
    if len(np.unique(ours.size_bytes)) == len(ours.size_bytes):
        why = "one file of each size: nothing to resample for an interval"
        return Ratio(float(value), None, None, why)
    replicates = _resampled_speeds(ours) / _resampled_speeds(native)
    tail = (1 - CONFIDENCE) / 2
    return Ratio(float(value), *map(float, np.quantile(replicates, [tail, 1 - tail])))


def _resampled_speeds(files: Files) -> np.ndarray:
    draws = resampled(files.size_bytes, seed_of(files.cell, files.op))
    return _speed(files.size_bytes[draws], files.elapsed_ns[draws])


def _speed(size_bytes: np.ndarray, elapsed_ns: np.ndarray) -> np.ndarray:
    return size_bytes.sum(axis=-1) / elapsed_ns.sum(axis=-1)
