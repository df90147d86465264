"""The headline: 1 / the median slope of time on size over all pairs of files of different size.

Theil (1950) and Sen (1968). Sen's own interval assumes equal errors of all files; those of large
files are far larger, so it covers the true value in 80 to 90 % of cases instead of 95. Here the
ends are the same order statistics of the slopes, further out: the (N - C) / 2 th and the
(N + C) / 2 + 1 th of N, with C = t sqrt(V). V is the variance of Kendall's sum, of the signs of
(slope - median) over all pairs. That sum is a U-statistic of independent, not identically
distributed files (Hoeffding 1948), and its variance comes from its components, each file's sum of
signs (Sen 1960, "On some convergence properties of U-statistics"; DeLong, DeLong and
Clarke-Pearson 1988 do the same for another statistic): n times the variance of the components of
each size. For a size with one file, the expected component is 0 and its square is used as variance.
t is Student's, see `estimate.student`.
"""

import numpy as np

from database.statistics.estimate import Estimate, strata, student, variances

ONE_SIZE = "all files have one size: no slope"
NO_SLOPE = "larger files took no longer: no slope"
OPEN = "the interval has no upper end: too few files or too much noise"


def theil_sen(size_bytes: np.ndarray, elapsed_ns: np.ndarray) -> list[Estimate]:
    """One estimate per series; size_bytes: (files,), ascending; elapsed_ns: (series, files)."""
    smaller, larger = np.nonzero(size_bytes[:, None] < size_bytes)
    if not len(smaller):
        return [Estimate(None, None, None, ONE_SIZE)] * len(elapsed_ns)
    apart = size_bytes[larger] - size_bytes[smaller]
    return [
        _of_slopes((times[larger] - times[smaller]) / apart, smaller, larger, size_bytes)
        for times in elapsed_ns
    ]


def _of_slopes(
    slopes: np.ndarray, smaller: np.ndarray, larger: np.ndarray, size_bytes: np.ndarray
) -> Estimate:
    """The estimate from all slopes between a smaller and a larger file, whose indexes these are."""
    pairs = len(slopes)
    ordered = np.sort(slopes)
    median = (ordered[(pairs - 1) // 2] + ordered[pairs // 2]) / 2
    signs = np.sign(slopes - median)
    components = sum(np.bincount(file, signs, len(size_bytes)) for file in (smaller, larger))
    reach = _reach(components, size_bytes)
    low, high = int(np.floor((pairs - reach) / 2)) - 1, int(np.ceil((pairs + reach) / 2))
    return speed(
        float(median),
        float(ordered[low]) if low >= 0 else -np.inf,
        float(ordered[high]) if high < pairs else np.inf,
    )


def _reach(components: np.ndarray, size_bytes: np.ndarray) -> float:
    """t sqrt(V)."""
    first, counts = strata(size_bytes)
    parts = variances(components[None], size_bytes)
    alone = counts == 1
    parts[:, alone] = components[first[alone]] ** 2
    return float(student(parts, np.maximum(counts - 1, 1))[0] * np.sqrt(parts.sum()))


def speed(slope: float, low: float, high: float) -> Estimate:
    """1 / slope; None for slopes that are not positive."""
    if not slope > 0:
        return Estimate(None, None, None, NO_SLOPE)
    slowest = 1 / high if 0 < high < np.inf else None
    if not low > 0:
        return Estimate(1 / slope, slowest, None, OPEN)
    return Estimate(1 / slope, slowest, 1 / low)
