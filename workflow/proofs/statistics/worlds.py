"""False alarms and power of `release_change`, by its own SQL.

A world says how much the runs of a machine differ, and why. A family is the pairs of one host and
the same two releases: 16 images, written and read, as many as the study encryption-2026 has, and
the disk itself, which never changes, with so many repeats each. How well the headline of a run is
known within it is in `coverage`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from proofs.support import changes
from proofs.support.changes import Run, Told

# the last one is the disk itself
CELLS = 16 + 1
OPS = ("read", "write")

# What the files of one run leave unknown of its headline, about what 10 % of noise a file makes.
WITHIN_RUN = 0.01


@dataclass(frozen=True)
class World:
    """`draw(dice, repeats)`: the logarithm of each run's speed, (cells, repeats), of one study."""

    name: str
    draw: Callable[[np.random.Generator, int], np.ndarray]


def _alike(spread: float) -> World:
    return World(
        f"runs differ by {100 * spread:g} %",
        lambda dice, repeats: dice.normal(0, spread, (CELLS, repeats)),
    )


def _of_two_kinds(dice: np.random.Generator, repeats: int) -> np.ndarray:
    spread = np.where(np.arange(CELLS) % 2, 0.03, 0.2)[:, None]
    return dice.normal(0, 1, (CELLS, repeats)) * spread


def _drifting(dice: np.random.Generator, repeats: int) -> np.ndarray:
    return np.linspace(0, -0.2, repeats) + dice.normal(0, 0.05, (CELLS, repeats))


def _bimodal(dice: np.random.Generator, repeats: int) -> np.ndarray:
    slow = dice.random((CELLS, repeats)) < 0.3
    return np.where(slow, np.log(0.75), 0) + dice.normal(0, 0.03, (CELLS, repeats))


def _loaded(dice: np.random.Generator, repeats: int) -> np.ndarray:
    busy = dice.random(repeats) < 1 / 3
    return np.where(busy, np.log(0.7), 0) + dice.normal(0, 0.05, (CELLS, repeats))


def _together(dice: np.random.Generator, repeats: int) -> np.ndarray:
    return dice.normal(0, 0.1, repeats) + dice.normal(0, 0.03, (CELLS, repeats))


WORLDS = (
    *(_alike(spread) for spread in (0.0, 0.02, 0.05, 0.1, 0.2, 0.4)),
    World("half of the cells by 3 %, half by 20 %", _of_two_kinds),
    World("drift of 20 % through a study", _drifting),
    World("bimodal: 3 of 10 runs a quarter slower", _bimodal),
    World("loaded: every third repeat 30 % slower", _loaded),
    World("repeats slow together by 10 %", _together),
)


def told(world: World, repeats: int, ratio: float, families: int, seed: int) -> Told:
    """What `release_change` says of pairs whose later speed is `ratio` times the earlier one."""
    return changes.told(_runs(world, repeats, ratio, families, seed), ratio)


def _runs(world: World, repeats: int, ratio: float, families: int, seed: int) -> Iterator[Run]:
    dice = np.random.default_rng([seed, repeats])
    for family in range(families):
        for op in OPS:
            earlier, later = (
                np.exp(world.draw(dice, repeats) + dice.normal(0, WITHIN_RUN, (CELLS, repeats)))
                for _ in range(2)
            )
            later[:-1] *= ratio
            for cell in range(CELLS):
                name = str(cell) if cell < CELLS - 1 else changes.DISK
                for repeat in range(repeats):
                    one, other = float(earlier[cell, repeat]), float(later[cell, repeat])
                    yield family, op, name, repeat + 1, one, other
