"""What a statistic of a series comes to, and how far its interval has to reach with few files."""

from dataclasses import dataclass

import numpy as np
import scipy.special

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A speed in GB/s with its interval; None where it cannot be computed, and then why."""

    gbps: float | None
    low: float | None
    high: float | None
    reason: str | None = None


def strata(size_bytes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the files of each size begin and how many they are; `size_bytes` ascends."""
    _, first, counts = np.unique(size_bytes, return_index=True, return_counts=True)
    return first, counts


def variances(values: np.ndarray, size_bytes: np.ndarray) -> np.ndarray:
    """What the files of each size add to the variance of a sum over all files.

    values: (series, files); (series, sizes) comes back. The sizes are the design's and not a matter
    of chance, so only differences within a size count: n times its variance. A size with one file
    adds nothing.
    """
    first, counts = strata(size_bytes)
    means = np.add.reduceat(values, first, axis=1) / counts
    squares = np.add.reduceat((values - np.repeat(means, counts, axis=1)) ** 2, first, axis=1)
    return squares * counts / np.maximum(counts - 1, 1)


def student(variances: np.ndarray, degrees: np.ndarray) -> np.ndarray:
    """Student's t for an interval whose variance is a sum of estimates, one value a series.

    variances: (series, parts); degrees: (parts,), the degrees of freedom of each. Satterthwaite
    (1946), with each square freed of its bias: that of an estimate with f degrees of freedom is
    expected to be (f + 2) / f of what it estimates. Where nothing varies it is the normal quantile.
    """
    squares = (variances**2 / (degrees + 2)).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = variances.sum(axis=1) ** 2 / squares - 2
    found = np.where(squares > 0, np.maximum(found, 1), np.inf)
    return scipy.special.stdtrit(found, (1 + CONFIDENCE) / 2)
