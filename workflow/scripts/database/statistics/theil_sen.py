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

# slopes in memory at once: 8 bytes each, about the size of a core's caches
SLOPES_AT_ONCE = 200_000


def theil_sen(size_bytes: np.ndarray, elapsed_ns: np.ndarray) -> list[Estimate]:
    """One estimate per series; size_bytes: (files,), ascending; elapsed_ns: (series, files)."""
    first, counts = strata(size_bytes)
    if len(first) < 2:
        return [Estimate(None, None, None, ONE_SIZE)] * len(elapsed_ns)
    pairs = (len(size_bytes) ** 2 - int((counts**2).sum())) // 2
    at_once = max(1, SLOPES_AT_ONCE // pairs)
    found = []
    for start in range(0, len(elapsed_ns), at_once):
        found += _several(size_bytes.astype(float), elapsed_ns[start : start + at_once])
    return found


def slopes(
    x: np.ndarray, y: np.ndarray, first: np.ndarray
) -> tuple[np.ndarray, list[tuple[slice, slice, slice]]]:
    """All slopes of y on x between points of different x, (series, pairs), and their columns.

    x: (points,), ascending; y: (series, points); first: the first index of each x. For each x but
    the last: its points, those of larger x, and the columns of their slopes, row by row.
    """
    ends = [*first[1:].tolist(), len(x)]
    blocks = []
    width = 0
    for begin, end in zip(first.tolist()[:-1], ends[:-1], strict=True):
        pairs = (end - begin) * (len(x) - end)
        blocks.append((slice(begin, end), slice(end, len(x)), slice(width, width + pairs)))
        width += pairs
    found = np.empty((len(y), width))
    for mine, larger, columns in blocks:
        block = y[:, None, larger] - y[:, mine, None]
        block /= x[larger] - x[mine.start]
        found[:, columns] = block.reshape(len(y), -1)
    return found, blocks


def _several(size_bytes: np.ndarray, elapsed_ns: np.ndarray) -> list[Estimate]:
    first, counts = strata(size_bytes)
    all_slopes, blocks = slopes(size_bytes, elapsed_ns.astype(float), first)
    pairs = all_slopes.shape[1]
    ordered = np.sort(all_slopes, axis=1)
    median = ordered[:, [(pairs - 1) // 2, pairs // 2]].mean(axis=1)
    spread = _reach(all_slopes, median, blocks, size_bytes, counts)
    low = np.floor((pairs - spread) / 2).astype(int) - 1
    high = np.ceil((pairs + spread) / 2).astype(int)
    return [
        _speed(slope, row[one] if one >= 0 else -np.inf, row[other] if other < pairs else np.inf)
        for slope, row, one, other in zip(median, ordered, low, high, strict=True)
    ]


def _reach(
    all_slopes: np.ndarray,
    median: np.ndarray,
    blocks: list[tuple[slice, slice, slice]],
    size_bytes: np.ndarray,
    counts: np.ndarray,
) -> np.ndarray:
    """t sqrt(V), one value per series."""
    signs = (all_slopes > median[:, None]).view(np.int8) - (all_slopes < median[:, None]).view(
        np.int8
    )
    components = np.zeros((len(all_slopes), len(size_bytes)))
    for mine, larger, columns in blocks:
        block = signs[:, columns].reshape(len(signs), mine.stop - mine.start, -1)
        components[:, mine] += block.sum(axis=2)
        components[:, larger] += block.sum(axis=1)
    parts = variances(components, size_bytes)
    alone = counts == 1
    first, _ = strata(size_bytes)
    parts[:, alone] = components[:, first[alone]] ** 2
    return student(parts, np.maximum(counts - 1, 1)) * np.sqrt(parts.sum(axis=1))


def _speed(slope: float, low: float, high: float) -> Estimate:
    """1 / slope; None for slopes that are not positive."""
    if slope <= 0:
        return Estimate(None, None, None, NO_SLOPE)
    slowest = 1 / float(high) if np.isfinite(high) else None
    if not low > 0:
        return Estimate(1 / float(slope), slowest, None, OPEN)
    return Estimate(1 / float(slope), slowest, 1 / float(low))
