"""1 / the slope of time on size by least squares, with an interval from resamples.

The slope is a weighted sum of the files' times, with weights that depend on sizes only, and
resamples keep the sizes. So it is resampled like the total (`summaries`).
"""

import numpy as np

from database.statistics.estimate import Estimate, strata
from database.statistics.resampling import resamples
from database.statistics.summaries import ONE_OF_EACH, outside, quantiles
from database.statistics.theil_sen import ONE_SIZE, speed


def regression(size_bytes: np.ndarray, elapsed_ns: np.ndarray) -> list[Estimate]:
    """One estimate a series; size_bytes: (files,), ascending; elapsed_ns: (series, files)."""
    first, counts = strata(size_bytes)
    if len(first) < 2:
        return [Estimate(None, None, None, ONE_SIZE)] * len(elapsed_ns)
    apart = size_bytes - size_bytes.mean()
    # the contribution of each file; their mean is the slope
    parts = apart * elapsed_ns / (apart**2).mean()
    if counts.max() == 1:
        return [
            Estimate(1 / slope, None, None, ONE_OF_EACH) if slope > 0 else speed(slope, 0, 0)
            for slope in parts.mean(axis=1).tolist()
        ]
    drawn = resamples(size_bytes)
    found = []
    for row, share in zip(parts, outside(parts, size_bytes), strict=True):
        found.append(speed(float(row.mean()), *quantiles(drawn.means(row), share)))
    return found
