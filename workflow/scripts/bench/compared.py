"""How often do the intervals of what is compared hold the truth? Of a format's cost, and of drift.

Those of the ratios of `release_change` are counted where its pairs are made (`bench.alarms`).
"""

from collections.abc import Iterator

import numpy as np

from bench.coverage import Coverage, holds
from bench.simulated import MACHINES, Machine, design
from database.drift import drifts
from database.format_ratios import ratio
from database.statistics import Files
from database.statistics.series import Alike

FORMAT_COST, DRIFT = "format_cost", "drift"

# An image that takes a quarter longer for each file; a machine that loses 10 % in a pass.
SLOWER = 1.25
DRIFTS = -0.1

# At tenth there is one file of each size: no interval of a cost is claimed, and no drift is told.
# Smoke has the design of gold.
SCALES = ("gold", "half")


def coverages(cells: int, seed: int) -> Iterator[Coverage]:
    """For each scale and machine; a ratio of totals does not claim to stand outliers."""
    for scale in SCALES:
        for machine in MACHINES:
            if not machine.outliers:
                yield of_cost(scale, machine, cells, seed)
            yield of_drift(scale, machine, cells, seed)


def of_cost(scale: str, machine: Machine, cells: int, seed: int) -> Coverage:
    """The ratio of two cells, one of which is slower in everything."""
    sizes = design(scale)
    generator = np.random.default_rng([seed, len(sizes), 1])
    native = machine.times(sizes, cells, generator)
    image = SLOWER * machine.times(sizes, cells, generator)
    held = 0
    for number in range(cells):
        ours, theirs = (Files("made-up", "write", sizes, side[number]) for side in (image, native))
        found = ratio(ours, theirs)
        held += holds(found.low, found.high, 1 / SLOWER)
    return Coverage(scale, machine.name, FORMAT_COST, cells, held)


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
