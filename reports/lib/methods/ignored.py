"""What two statistics ignore, shown by synthetic files."""

import numpy as np

from lib import show, study, words

SETS = 10  # as at scale gold
FAST_GBPS = 5.0
SLOW_GBPS = 0.02  # 20 MB/s
SLOW_SHARE = 0.3


def shown() -> show.Shown:
    """Bytes / time and the median of all slopes of the same, mostly fast, files."""
    size_mb = np.repeat(study.sizes_mb(), SETS).astype(float)
    slow = np.tile(np.arange(SETS) < SLOW_SHARE * SETS, len(study.sizes_mb()))
    time_ms = size_mb / np.where(slow, SLOW_GBPS, FAST_GBPS)
    total = size_mb.sum() / time_ms.sum()
    one, other = np.triu_indices(len(size_mb), 1)
    apart = size_mb[one] != size_mb[other]
    slope = 1 / np.median(
        (time_ms[other] - time_ms[one])[apart] / (size_mb[other] - size_mb[one])[apart]
    )
    largest = sorted(study.sizes_mb())[-4:]
    share = sum(largest) / sum(study.sizes_mb())
    return show.text(
        "They can differ widely: the slope ignores a minority of slow files, and bytes / time is "
        f"mostly that of the four largest sizes ({words.percent(share)} of the bytes). For "
        f"synthetic files, {words.percent(SLOW_SHARE)} of them at {SLOW_GBPS} GB/s and the rest at "
        f"{FAST_GBPS:g} GB/s, the slope gives {slope:.2g} GB/s and bytes / time {total:.2g} GB/s."
    )
