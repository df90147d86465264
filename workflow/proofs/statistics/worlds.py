"""False alarms and power of `release_change`, and false alarms of `format_cost`, by their own SQL.

A world says how much the runs of a machine differ, and why. A family is the pairs of one host and
the same two releases: 16 images, written and read, as many as the study encryption-2026 has, and
the disk itself, which never changes, with so many repeats each. How well the headline of a run is
known within it is in `coverage`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import duckdb
import numpy as np
import pandas as pd

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


def false_costs(world: World, repeats: int, families: int, seed: int) -> list[bool]:
    """For each family, whether `format_cost` calls any image slower or faster where none is."""
    dice = np.random.default_rng([seed, repeats])
    found = []
    for family in range(families):
        for op in OPS:
            *images, disk = _speeds(world, repeats, dice).tolist()
            for number, image in enumerate(images):
                for repeat, (gbps, native_gbps) in enumerate(zip(image, disk, strict=True), 1):
                    found.append((f"host-{family}", op, str(number), repeat, gbps, native_gbps))
    columns = ["host", "op", "format", "repeat", "gbps", "native_gbps"]
    frame = pd.DataFrame(found, columns=columns)
    frame["family"] = frame["host"] + " " + frame["op"]
    frame["item"] = frame["cell"] = frame["family"] + " " + frame["format"]
    frame["value"] = np.log(frame["gbps"] / frame["native_gbps"])
    made_up = ("release", "storage", "protocol", "scale", "encryption", "phase", "native_cell")
    frame = frame.assign(**dict.fromkeys(made_up, "made-up"), files=1, native_files=1, busy=False)
    frame = frame.assign(**dict.fromkeys(("band_bytes", "reason", "why_not_comparable")))
    with duckdb.connect() as connection:
        connection.register("pairs", frame)
        connection.execute("create temp table stg_format_pair as from pairs")
        changes.judge(connection, "format_cost", ["stg_format_pair"])
        alarmed = connection.execute(
            "select bool_or(verdict in ('slower', 'faster')) from format_cost group by host"
        ).fetchall()
    return [any_of_it for (any_of_it,) in alarmed]


def _speeds(world: World, repeats: int, dice: np.random.Generator) -> np.ndarray:
    """The headline of each run of one study and direction, (cells, repeats)."""
    return np.exp(world.draw(dice, repeats) + dice.normal(0, WITHIN_RUN, (CELLS, repeats)))


def _runs(world: World, repeats: int, ratio: float, families: int, seed: int) -> Iterator[Run]:
    dice = np.random.default_rng([seed, repeats])
    for family in range(families):
        for op in OPS:
            earlier, later = (_speeds(world, repeats, dice) for _ in range(2))
            later[:-1] *= ratio
            for cell in range(CELLS):
                name = str(cell) if cell < CELLS - 1 else changes.DISK
                for repeat in range(repeats):
                    one, other = float(earlier[cell, repeat]), float(later[cell, repeat])
                    yield family, op, name, repeat + 1, one, other
