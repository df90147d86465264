"""Estimates of a series, and the width of intervals with few files."""

from dataclasses import dataclass

import numpy as np
import scipy.special

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A speed in GB/s with its interval; None if it cannot be computed, with the reason."""

    gbps: float | None
    low: float | None
    high: float | None
    reason: str | None = None


def strata(size_bytes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first index and number of files of each size; `size_bytes` ascends."""
    _, first, counts = np.unique(size_bytes, return_index=True, return_counts=True)
    return first, counts


def variances(values: np.ndarray, size_bytes: np.ndarray) -> np.ndarray:
    """The contribution of each size to the variance of a sum over all files.

    values: (series, files); returns (series, sizes). Sizes are fixed by design, so only differences
    within a size count: n times its variance. A size with one file contributes nothing.
    """
    first, counts = strata(size_bytes)
    means = np.add.reduceat(values, first, axis=1) / counts
    squares = np.add.reduceat((values - np.repeat(means, counts, axis=1)) ** 2, first, axis=1)
    return squares * counts / np.maximum(counts - 1, 1)


def student(variances: np.ndarray, degrees: np.ndarray) -> np.ndarray:
    """Student's t for an interval whose variance is a sum of estimates, one value per series.

    variances: (series, parts); degrees: (parts,), the degrees of freedom of each. Satterthwaite
    (1946), with unbiased squares: the square of an estimate with f degrees of freedom is expected
    to be (f + 2) / f of the true one. Without variation it is the normal quantile.
    """
    squares = (variances**2 / (degrees + 2)).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = variances.sum(axis=1) ** 2 / squares - 2
    found = np.where(squares > 0, np.maximum(found, 1), np.inf)
    return scipy.special.stdtrit(found, (1 + CONFIDENCE) / 2)
