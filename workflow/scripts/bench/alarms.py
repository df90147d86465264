"""How often does `release_change` see what is not there, and what is? By its own SQL.

A family is the pairs of one host and the same two releases: 16 cells, written and read, as many as
the study encryption-2026 has. Each pair is two made-up cells, and what is said of it is said by the
very rule, test and correction of the database.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd

from bench.simulated import Machine, design
from database.release_tests import van_elteren
from database.statistics import Files
from database.statistics.theil_sen import theil_sen

SQL = Path(__file__).resolve().parents[2] / "sql"
PAIRS = 32

# Repeats of one cell were seen to differ by up to 8 % (verdict_rule): so do the two runs of a pair.
RUN_TO_RUN = 0.08

MACHINE = Machine("10 % noise", 0.1)


@dataclass(frozen=True)
class Alarms:
    """What was said of pairs that differ by `change` (0 is no change) and of their families.

    All are shares; `pairs_held` of intervals of the ratio that hold the true one.
    """

    scale: str
    change: float
    run_to_run: bool
    families: int
    pairs_below: float
    families_below: float
    pairs_changed: float
    families_changed: float
    pairs_held: float


def told(scale: str, change: float, run_to_run: bool, families: int, seed: int) -> Alarms:
    """The shares of pairs with p below 0.05, of families with an adjusted p below, of changes."""
    frame = _pairs(scale, change, run_to_run, families, seed)
    with duckdb.connect() as connection:
        for rule in SQL.glob("*_verdict_rule.sql"):
            connection.execute(rule.read_text(encoding="utf-8"))
        [(tolerance, level)] = connection.execute("""
            select
                1 + max(tolerance) filter (where rule = 'run-to-run'),
                max(tolerance) filter (where rule = 'chance')
            from verdict_rule where comparison = 'release_change'
        """).fetchall()
        frame["tolerance"] = tolerance
        connection.register("simulated", frame)
        connection.execute(
            "create temp table stg_release_pair as select * exclude (p) from simulated"
        )
        connection.execute(
            "create temp table stg_release_test as "
            "select earlier_cell, later_cell, op, p from simulated"
        )
        (file,) = SQL.glob("*_release_change.sql")
        connection.execute(file.read_text(encoding="utf-8"))
        [found] = connection.execute(
            """
            with families as (
                select
                    avg((p < $level)::integer) as below,
                    max((p_adjusted < $level)::integer) as any_below,
                    avg((change in ('faster', 'slower'))::integer) as changed,
                    max((change in ('faster', 'slower'))::integer) as any_changed,
                    -- an end that is not there reaches as far as it likes
                    avg((
                        coalesce(ratio_low, 0) <= $ratio and $ratio <= coalesce(ratio_high, 'inf')
                    )::integer) as held
                from release_change group by host
            )
            select avg(below), avg(any_below), avg(changed), avg(any_changed), avg(held)
            from families
            """,
            {"level": level, "ratio": 1 / (1 + change)},
        ).fetchall()
    return Alarms(scale, change, run_to_run, families, *found)


def _pairs(scale: str, change: float, run_to_run: bool, families: int, seed: int) -> pd.DataFrame:
    """One row a pair, as `stg_release_pair` has it, with its p."""
    generator = np.random.default_rng([seed, round(100 * change)])
    sizes = design(scale)
    count = families * PAIRS
    sides = []
    for slower in (1.0, 1 + change):
        factor = slower * np.exp(generator.uniform(-0.5, 0.5, (count, 1)) * np.log1p(RUN_TO_RUN))
        times = MACHINE.times(sizes, count, generator) * (factor if run_to_run else slower)
        sides.append(np.rint(times).astype(np.int64))
    return pd.DataFrame(list(_rows(sizes, *sides)))


def _rows(sizes: np.ndarray, earlier: np.ndarray, later: np.ndarray) -> Iterator[dict]:
    speeds = zip(theil_sen(sizes, earlier), theil_sen(sizes, later), strict=True)
    for number, (before, after) in enumerate(speeds):
        one, other = (Files("made-up", "write", sizes, times[number]) for times in (earlier, later))
        yield {
            "host": f"host-{number // PAIRS}",
            **dict.fromkeys(("storage", "driver", "protocol", "scale", "format"), "made-up"),
            "encryption": "none",
            "band_bytes": None,
            "repeat": 1,
            "phase": "fresh",
            "op": "write",
            "earlier_release": "1",
            "later_release": "2",
            "earlier_number": 1,
            "later_number": 2,
            "consecutive": True,
            "earlier_cell": f"earlier-{number}",
            "later_cell": f"later-{number}",
            "earlier_gbps": before.gbps,
            "earlier_gbps_low": before.low,
            "earlier_gbps_high": before.high,
            "later_gbps": after.gbps,
            "later_gbps_low": after.low,
            "later_gbps_high": after.high,
            "why_not_comparable": None,
            "p": van_elteren(one, other),
        }
