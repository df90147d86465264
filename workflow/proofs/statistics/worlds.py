"""How often does `release_change` see what is not there, and what is? By its own SQL.

A world says how much the runs of a machine differ, and why. A family is the pairs of one host and
the same two releases: 16 cells, written and read, as many as the study encryption-2026 has, with so
many repeats each. What is said of a pair is said by the very intervals, rule and correction of the
database. A run comes down to its headline: how well that is known within a run is in `coverage`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean

import duckdb
import numpy as np
import pandas as pd

from database import run_intervals
from database.load import sql_file
from proofs.support.proof import PROJECT

SQL = PROJECT / "workflow" / "sql"
CELLS = 16
OPS = ("read", "write")

# What the files of one run leave unknown of its headline, about what 10 % of noise a file makes.
WITHIN_RUN = 0.01


@dataclass(frozen=True)
class World:
    """`draw(dice, repeats)`: the logarithm of each run's speed, (cells, repeats), of one study."""

    name: str
    draw: Callable[[np.random.Generator, int], np.ndarray]


@dataclass(frozen=True)
class Told:
    """What was said of families with one true ratio, one entry a family.

    covered: share of its pairs whose interval covers that ratio. changed: share of its pairs called
    faster or slower. alarmed: whether any was.
    """

    covered: list[float]
    changed: list[float]
    alarmed: list[bool]

    @property
    def families(self) -> int:
        """How many there are."""
        return len(self.alarmed)

    @property
    def pairs_covered(self) -> float:
        """Of all pairs, as a share."""
        return fmean(self.covered)

    @property
    def pairs_changed(self) -> float:
        """Of all pairs, as a share."""
        return fmean(self.changed)

    @property
    def families_changed(self) -> float:
        """Families with any pair called changed, as a share."""
        return fmean(self.alarmed)


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
    frame = _pairs(world, repeats, ratio, families, seed)
    with duckdb.connect() as connection:
        connection.register("simulated", frame)
        connection.execute("create temp table stg_release_pair as select * from simulated")
        for name in ("verdict_rule", "stg_run_interval", "holm", "release_change"):
            if name == "release_change":
                run_intervals.fill("stg_release_pair", connection)
            file = sql_file(SQL, name)
            connection.execute(file.read_text(encoding="utf-8"))
        found = connection.execute(
            """
            select
                avg((ratio_low <= $ratio and $ratio <= ratio_high)::integer) as covered,
                avg((change in ('faster', 'slower'))::integer) as changed,
                coalesce(bool_or(change in ('faster', 'slower')), false) as alarmed
            from release_change
            group by host
            order by host
            """,
            {"ratio": ratio},
        ).fetchall()
    return Told(*map(list, zip(*found, strict=True)))


def _pairs(world: World, repeats: int, ratio: float, families: int, seed: int) -> pd.DataFrame:
    """One row a run of a pair, as `stg_release_pair` has it."""
    dice = np.random.default_rng([seed, repeats])
    rows = []
    for host in range(families):
        for op in OPS:
            earlier, later = (
                world.draw(dice, repeats) + dice.normal(0, WITHIN_RUN, (CELLS, repeats))
                for _ in range(2)
            )
            later = later + np.log(ratio)
            for cell in range(CELLS):
                for repeat in range(repeats):
                    one, other = float(earlier[cell, repeat]), float(later[cell, repeat])
                    rows.append(
                        (host, op, cell, repeat + 1, np.exp(one), np.exp(other), other - one)
                    )
    columns = ["number", "op", "cell", "repeat", "earlier_gbps", "later_gbps", "value"]
    frame = pd.DataFrame(rows, columns=columns)
    frame["host"] = "host-" + frame["number"].astype(str)
    frame["family"] = frame["host"] + " " + frame["op"]
    frame["item"] = frame["family"] + " " + frame["cell"].astype(str)
    frame["earlier_cell"] = "earlier " + frame["item"]
    frame["later_cell"] = "later " + frame["item"]
    made_up = ("storage", "driver", "protocol", "scale", "format", "encryption", "phase")
    return frame.drop(columns=["number", "cell"]).assign(
        **dict.fromkeys(made_up, "made-up"),
        band_bytes=None,
        earlier_release="1",
        later_release="2",
        earlier_number=1,
        later_number=2,
        consecutive=True,
        why_not_comparable=None,
        vouched_by="own",
    )
