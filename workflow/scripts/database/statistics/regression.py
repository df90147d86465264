"""1 / the slope of time on size by least squares, with an interval from resamples.

The slope is a weighted sum of the files' times, with weights that depend on sizes only, and
resamples keep the sizes. So it is resampled like the total (`summaries`).
"""

import numpy as np

from database.statistics.estimate import Estimate, strata
from database.statistics.resampling import resamples
from database.statistics.summaries import ONE_OF_EACH, outside, quantiles
from database.statistics.theil_sen import NO_SLOPE, ONE_SIZE, OPEN


def regression(size_bytes: np.ndarray, elapsed_ns: np.ndarray) -> list[Estimate]:
    """One estimate a series; size_bytes: (files,), ascending; elapsed_ns: (series, files)."""
    first, counts = strata(size_bytes)
    if len(first) < 2:
        return [Estimate(None, None, None, ONE_SIZE)] * len(elapsed_ns)
    apart = size_bytes - size_bytes.mean()
    # the contribution of each file; their mean is the slope
    parts = apart * elapsed_ns / (apart**2).mean()
    if counts.max() == 1:
        return [_speed(slope, ONE_OF_EACH) for slope in parts.mean(axis=1).tolist()]
    drawn = resamples(size_bytes)
    found = []
    for row, share in zip(parts, outside(parts, size_bytes), strict=True):
        low, high = quantiles(drawn.means(row), share)
        found.append(_speed(float(row.mean()), None if low > 0 else OPEN, low, high))
    return found


def _speed(slope: float, reason: str | None, low: float = 0, high: float = 0) -> Estimate:
    """1 / slope; an end of the slope's interval that is not positive gives no bound."""
    if not slope > 0:
        return Estimate(None, None, None, NO_SLOPE)
    return Estimate(1 / slope, 1 / high if high > 0 else None, 1 / low if low > 0 else None, reason)
