"""Resamples of the files of a design, drawn once and used for all its series.

A design is the number of files of each size. A resample draws n - 1 of the n files of a size, with
replacement, and counts each n / (n - 1) times (Rao and Wu 1988, "Resampling inference with complex
survey data"): drawing n of n (Efron 1979) gives intervals that are too narrow by the root of
(n - 1) / n, 11 % with five files of a size. A size with one file is the same in every resample.

The seed is the SHA-256 of the design, and draws use the raw output of PCG64, whose stream NumPy
guarantees (unlike that of the methods of Generator).
"""

import hashlib
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from database.statistics.estimate import strata

RESAMPLES = 2000

# fractional weights are multiples of this, so that their sums are exact in any order
WEIGHT_STEP = 2.0**-20


@dataclass(frozen=True)
class Resamples:
    """How often each file counts in each resample.

    weights: (files, RESAMPLES); integers if every size has the same number of files, since the
    factor n / (n - 1) is then common. total: their sum in a resample.
    """

    weights: np.ndarray
    total: float

    def means(self, values: np.ndarray) -> np.ndarray:
        """The mean of one value per file in each resample, (RESAMPLES,)."""
        # not by BLAS: its threads and order of summation are not fixed
        return np.einsum("f,fr->r", values, self.weights) / self.total


def resamples(size_bytes: np.ndarray) -> Resamples:
    """The resamples of a design."""
    _, counts = strata(size_bytes)
    return _resamples(tuple(counts.tolist()))


@lru_cache(maxsize=8)
def _resamples(counts: tuple[int, ...]) -> Resamples:
    drawn = _drawn(counts)
    if len(set(counts)) == 1 and counts[0] > 1:
        weights = drawn.astype(float)
    else:
        each = np.repeat([count / max(count - 1, 1) for count in counts], counts)
        weights = np.rint(drawn * each[:, None] / WEIGHT_STEP) * WEIGHT_STEP
    return Resamples(weights, float(weights[:, 0].sum()))


def _drawn(counts: tuple[int, ...]) -> np.ndarray:
    """How often each file was drawn, (files, RESAMPLES)."""
    # "/0" stays: without it every interval of every record would change
    seed = hashlib.sha256(f"{','.join(map(str, counts))}/0".encode()).digest()[:16]
    generator = np.random.PCG64(int.from_bytes(seed, "big"))
    drawn = np.zeros((sum(counts), RESAMPLES), dtype=np.int16)
    resample = np.arange(RESAMPLES)
    first = 0
    for count in counts:
        for _ in range(max(count - 1, 1)):
            raw = generator.random_raw(RESAMPLES)
            # the upper 32 bits scaled to 0 ... count - 1; the bias of count / 2**32 is negligible
            file = ((raw >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32)
            drawn[first + file.astype(np.int64), resample] += 1
        first += count
    return drawn
