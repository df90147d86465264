"""Verdicts of `release_change` on pairs of studies, by its own SQL, intervals and correction.

A family is all cells and directions of two studies of one host. A run comes down to its headline.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

import duckdb
import numpy as np
import pandas as pd

from database import run_intervals
from database.load import sql_file
from proofs.support.proof import PROJECT

SQL = PROJECT / "workflow" / "sql"

# number of the family, direction, cell, repeat, earlier and later speed
Run = tuple[int, str, str, int, float, float]


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


def told(runs: Iterable[Run], ratio: float = 1.0) -> Told:
    """The verdicts on families whose true later speed is `ratio` times the earlier one."""
    with duckdb.connect() as connection:
        connection.register("pairs", _as_release_pairs(runs))
        connection.execute("create temp table stg_release_pair as select * from pairs")
        for name in ("verdict_rule", "stg_run_interval", "holm", "release_change"):
            if name == "release_change":
                run_intervals.fill("stg_release_pair", connection)
            connection.execute(sql_file(SQL, name).read_text(encoding="utf-8"))
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


def _as_release_pairs(runs: Iterable[Run]) -> pd.DataFrame:
    """As `stg_release_pair` has them, each family on a host of its own."""
    columns = ["number", "op", "cell", "repeat", "earlier_gbps", "later_gbps"]
    frame = pd.DataFrame(runs, columns=columns)
    frame["host"] = "host-" + frame["number"].astype(str).str.zfill(9)
    frame["family"] = frame["host"] + " " + frame["op"]
    frame["item"] = frame["family"] + " " + frame["cell"]
    frame["earlier_cell"] = "earlier " + frame["item"]
    frame["later_cell"] = "later " + frame["item"]
    frame["value"] = np.log(frame["later_gbps"] / frame["earlier_gbps"])
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
