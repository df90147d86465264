"""Did files become faster or slower in the course of a pass, and by how much?

The drift is the median of all slopes of a rate's logarithm on its place in the pass, between two
files of one size (the seasonal Kendall slope: Hirsch, Slack and Smith 1982, "Techniques of trend
analysis for monthly water quality data"; here the sizes are the seasons), from the first file to
the last. Files of different sizes are not compared: what is usual of a size would have to be
estimated, with the drift in it. The interval goes by Sen's ranks (1968) from the variance of
Kendall's sum, that of the sizes added up (Gilbert 1987, "Statistical Methods for Environmental
Pollution Monitoring", 17.3).
"""

import duckdb
import numpy as np
import scipy.special

from database import rows
from database.statistics.estimate import CONFIDENCE, strata
from database.statistics.series import Alike, by_design, measured_chunks
from database.statistics.theil_sen import SLOPES_AT_ONCE

LEAST_FILES = 10  # with others of their size; fewer have no drift that one could tell from chance

Drift = tuple[float, float, float]


def fill(connection: duckdb.DuckDBPyConnection) -> None:
    """Fill the table `stg_file_drift`, so many cells at a time."""
    for chunk in measured_chunks(connection):
        timed = [files for files in chunk if np.all(files.elapsed_ns > 0)]
        found = {}
        for alike in by_design(timed):
            found |= zip(alike.numbers, drifts(alike), strict=True)
        rows.insert(
            connection,
            "stg_file_drift",
            [
                (files.cell, files.op, *found[number])
                for number, files in enumerate(timed)
                if found[number] is not None
            ],
        )


def drifts(passes: Alike) -> list[Drift | None]:
    """The change of the rate from the first to the last file as a share, with its interval.

    None where too few files have others of their size, or none of these differ.
    """
    first, counts = strata(passes.size_bytes)
    earlier, later = _pairs(first, counts)
    if counts[counts > 1].sum() < LEAST_FILES:
        return [None] * len(passes.elapsed_ns)
    at_once = max(1, SLOPES_AT_ONCE // len(earlier))
    found = []
    for begin in range(0, len(passes.elapsed_ns), at_once):
        some = slice(begin, begin + at_once)
        # of one size, so that the logarithm of the time is that of the rate but for its sign
        logarithms, places = -np.log(passes.elapsed_ns[some]), passes.places[some]
        slopes = logarithms[:, later] - logarithms[:, earlier]
        slopes /= places[:, later] - places[:, earlier]
        variances = _variances(passes.elapsed_ns[some], first, counts)
        steps = len(passes.size_bytes) - 1
        found += [_drift(*one, steps) for one in zip(slopes, variances, strict=True)]
    return found


def _pairs(first: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The earlier and the later file of each two of one size, which lie in the pass's order."""
    pairs = [
        begin + np.stack(np.triu_indices(count, 1))
        for begin, count in zip(first, counts, strict=True)
    ]
    return tuple(np.concatenate(pairs, axis=1))


def _variances(elapsed_ns: np.ndarray, first: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The variance of Kendall's sum of each series, with the correction for equal times."""
    # eighteen times of it, in whole numbers: it is 0 where all files of each size took as long
    found = np.full(len(elapsed_ns), (counts * (counts - 1) * (2 * counts + 5)).sum())
    for begin, count in zip(first, counts, strict=True):
        ordered = np.sort(elapsed_ns[:, begin : begin + count], axis=1)
        for number in np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1)):
            ties = np.unique(ordered[number], return_counts=True)[1]
            found[number] -= (ties * (ties - 1) * (2 * ties + 5)).sum()
    return found / 18


def _drift(slopes: np.ndarray, variance: float, steps: int) -> Drift | None:
    if not variance:
        return None
    pairs = len(slopes)
    reach = scipy.special.ndtri((1 + CONFIDENCE) / 2) * variance**0.5
    # the (N - C) / 2 th and the (N + C) / 2 + 1 th, counted from 1, between two slopes if need be
    ends = np.clip([(pairs - reach) / 2 - 1, (pairs + reach) / 2], 0, pairs - 1)
    below = np.floor(ends).astype(int)
    above = np.ceil(ends).astype(int)
    middle = [(pairs - 1) // 2, pairs // 2]
    ordered = np.partition(slopes, [*middle, *below, *above])
    low, high = ordered[below] + (ends - below) * (ordered[above] - ordered[below])
    return tuple(float(np.expm1(slope * steps)) for slope in (ordered[middle].mean(), low, high))
