"""Total, mean, median and trimmed mean of the files' rates, with intervals from resamples.

An interval goes from the p to the 1 - p quantile of the statistic in the resamples. p is not 2.5 %
but the normal distribution's share beyond Student's t (Hesterberg 2015, "What teachers should know
about the bootstrap", the expanded percentile interval), because the spread of few files is poorly
known. Its degrees of freedom are those of the statistic itself (`estimate.student`): small files,
for example, hardly contribute to the variance of a total.
"""

import bisect
import itertools

import numpy as np
import scipy.special

from database.statistics.estimate import Estimate, strata, student, variances
from database.statistics.resampling import resamples

TRIMMED = 0.2
SUMMARIES = ("total", "mean", "median", "trimmed_mean")
ONE_OF_EACH = "one file of each size: nothing to resample for an interval"


def summaries(size_bytes: np.ndarray, elapsed_ns: np.ndarray) -> dict[str, list[Estimate]]:
    """One estimate per series for each statistic.

    size_bytes: (files,), ascending; elapsed_ns: (series, files), above 0.
    """
    times = elapsed_ns.astype(float)
    rates = size_bytes / times
    by_rate = np.argsort(rates, axis=1, kind="stable")
    ordered = np.take_along_axis(rates, by_rate, axis=1)
    cut = int(TRIMMED * len(size_bytes))
    kept = slice(cut, len(size_bytes) - cut)
    points = {
        "total": size_bytes.sum() / times.sum(axis=1),
        "mean": rates.mean(axis=1),
        "median": np.median(ordered, axis=1),
        "trimmed_mean": ordered[:, kept].mean(axis=1),
    }
    _, counts = strata(size_bytes)
    if counts.max() == 1:
        return {
            name: [Estimate(float(value), None, None, ONE_OF_EACH) for value in values]
            for name, values in points.items()
        }

    drawn = resamples(size_bytes)
    bytes_of_all = float(size_bytes.sum()) / len(size_bytes)
    shares = _shares(size_bytes, times, rates, ordered, kept)
    found = {name: [] for name in SUMMARIES}
    for number, order in enumerate(by_rate):
        heaped = _heap(drawn.weights, order)
        ends = {
            "total": quantiles(bytes_of_all / drawn.means(times[number]), shares["total"][number]),
            "mean": quantiles(drawn.means(rates[number]), shares["mean"][number]),
            "median": _median(ordered[number], heaped, drawn.total, shares["median"][number]),
            "trimmed_mean": quantiles(
                _trimmed_means(ordered[number], heaped, drawn.total, cut / len(order)),
                shares["trimmed_mean"][number],
            ),
        }
        for name, (low, high) in ends.items():
            found[name].append(Estimate(float(points[name][number]), low, high))
    return found


def outside(influence: np.ndarray, size_bytes: np.ndarray) -> np.ndarray:
    """The share of resamples beyond each end of the interval, one per series.

    influence: (series, files), the contribution of a file up to a factor.
    """
    _, counts = strata(size_bytes)
    several = counts > 1
    parts = variances(influence, size_bytes)[:, several]
    return scipy.special.ndtr(-student(parts, counts[several] - 1))


def quantiles(replicates: np.ndarray, share: float) -> tuple[float, float]:
    """Both ends of the interval with this share of the replicates beyond each end."""
    last = len(replicates) - 1
    places = np.array([share, 1 - share]) * last
    ranks = np.floor(places).astype(int)
    ordered = np.partition(replicates, [*ranks, *np.minimum(ranks + 1, last)])
    below, above = ordered[ranks], ordered[np.minimum(ranks + 1, last)]
    low, high = below + (places - ranks) * (above - below)
    return float(low), float(high)


def _shares(
    size_bytes: np.ndarray, times: np.ndarray, rates: np.ndarray, ordered: np.ndarray, kept: slice
) -> dict[str, np.ndarray]:
    """`outside` for each statistic."""
    median = np.median(ordered, axis=1)[:, None]
    influences = {
        "total": times,
        "mean": rates,
        "median": (rates > median).astype(float),
        "trimmed_mean": np.clip(rates, ordered[:, [kept.start]], ordered[:, [kept.stop - 1]]),
    }
    return {name: outside(values, size_bytes) for name, values in influences.items()}


def _heap(weights: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Cumulative weights in this order of files; row by row, as numpy's cumsum is 10 x slower."""
    heaped = weights[order]
    for before, row in itertools.pairwise(heaped):
        np.add(before, row, out=row)
    return heaped


def _median(
    rates: np.ndarray, heaped: np.ndarray, total: float, share: float
) -> tuple[float, float]:
    """Both ends for the median; `heaped`: (files, resamples), cumulative weights by rate.

    The median of a resample is at or below a rate if the weights up to it are half or more, so the
    quantiles of all medians are found without computing each. A resample with exactly half counts
    by half.
    """

    def first(share_below: float) -> float:
        low, high = 0, len(rates) - 1
        while low < high:
            middle = (low + high) // 2
            row = heaped[middle]
            reached = (np.count_nonzero(row > total / 2) + np.count_nonzero(row >= total / 2)) / 2
            found = reached > share_below * len(row)
            low, high = (low, middle) if found else (middle + 1, high)
        return float(rates[low])

    return first(share), first(1 - share)


def _trimmed_means(rates: np.ndarray, heaped: np.ndarray, total: float, cut: float) -> np.ndarray:
    """The trimmed mean of each resample, without the share `cut` of its weight at each end.

    A file keeps the part of its weight between the cuts; summed by parts.
    """
    low, high = cut * total, (1 - cut) * total
    # the slowest and the fastest files are cut off completely in every resample
    first = bisect.bisect_right(range(len(heaped)), low, key=lambda row: heaped[row].max())
    last = bisect.bisect_left(range(len(heaped)), high, key=lambda row: heaped[row].min())
    kept = np.clip(heaped[first:last], low, high)
    gaps = np.einsum("f,fr->r", np.diff(rates[first : last + 1]), kept)
    return (rates[last] * high - rates[first] * low - gaps) / (high - low)
