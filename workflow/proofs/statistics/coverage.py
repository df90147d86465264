"""How often do intervals cover the true value? On synthetic cells."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from database.statistics import STATISTICS, Estimate
from database.statistics.regression import regression
from database.statistics.summaries import summaries
from database.statistics.theil_sen import theil_sen
from proofs.statistics.simulated import MACHINES, Machine, design, truth

ROBUST = ("median", "trimmed_mean", "theil_sen")
SCALES = ("gold", "half", "smoke", "tenth")


@dataclass(frozen=True)
class Coverage:
    """How many of `cells` intervals of a statistic held the truth."""

    scale: str
    machine: str
    statistic: str
    cells: int
    held: int


def coverages(cells: int, seed: int) -> Iterator[Coverage]:
    """For each scale, machine, and statistic that claims an interval of 95 % there."""
    for scale in SCALES:
        for machine in MACHINES:
            yield from of_machine(scale, machine, cells, seed)


def of_machine(scale: str, machine: Machine, cells: int, seed: int) -> Iterator[Coverage]:
    """The figures of one machine; with outliers only for the robust statistics."""
    true = truth(machine, scale)
    sizes = design(scale)
    times = machine.times(sizes, cells, np.random.default_rng([seed, len(sizes)]))
    found = summaries(sizes, times)
    found |= {"regression": regression(sizes, times), "theil_sen": theil_sen(sizes, times)}
    for name in STATISTICS:
        claims = any(one.low is not None for one in found[name])
        if claims and (name in ROBUST or not machine.outliers):
            held = sum(holds(one, true[name]) for one in found[name])
            yield Coverage(scale, machine.name, name, cells, held)


def holds(one: Estimate, true: float) -> bool:
    """Whether its interval does; an end that is not there reaches as far as it likes."""
    if one.gbps is None:
        return False
    return (one.low is None or one.low <= true) and (one.high is None or true <= one.high)
