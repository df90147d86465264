"""How often do the intervals of a pass's drift cover the truth?"""

from collections.abc import Iterator

import numpy as np

from database.drift import drifts
from database.statistics.series import Alike
from proofs.statistics.coverage import Coverage, holds
from proofs.statistics.simulated import MACHINES, Machine, design

DRIFT = "drift"

# A machine that loses 10 % in a pass.
DRIFTS = -0.1

# At tenth there is one file of each size, and no drift is told.
# Smoke has the design of gold.
SCALES = ("gold", "half")


def coverages(cells: int, seed: int) -> Iterator[Coverage]:
    """For each scale and machine."""
    for scale in SCALES:
        for machine in MACHINES:
            yield of_drift(scale, machine, cells, seed)


def of_drift(scale: str, machine: Machine, cells: int, seed: int) -> Coverage:
    """The drift of cells whose files, in shuffled order, become slower by the same share each."""
    sizes = design(scale)
    count = len(sizes)
    generator = np.random.default_rng([seed, count, 2])
    times = machine.times(sizes, cells, generator)
    places = generator.permuted(np.tile(np.arange(count), (cells, 1)), axis=1)
    # files of one size lie in the order of the pass
    places = np.sort(places.reshape(cells, len(np.unique(sizes)), -1), axis=2).reshape(cells, count)
    times /= (1 + DRIFTS) ** (places / (count - 1))
    found = drifts(Alike(np.arange(cells), sizes, times, places))
    held = sum(one is not None and holds(*one[1:], DRIFTS) for one in found)
    return Coverage(scale, machine.name, DRIFT, cells, held)
