"""Verdicts of `release_change` on pairs of studies, by its own SQL, intervals and correction.

A family is all cells and directions of two studies of one host. A run comes down to its headline.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import duckdb
import numpy as np
import pandas as pd

from database import run_intervals
from database.load import sql_file
from proofs.support.proof import PROJECT

SQL = PROJECT / "workflow" / "sql"

# what each table of verdicts reads besides its pairs
SQL_FILES = ("codes", "verdict_rule", "stg_run_interval", "holm", "beyond")
# the cell that is the disk itself
DISK = "native"

# number of the family, direction, cell, repeat, earlier and later speed
Run = tuple[int, str, str, int, float, float]


@dataclass(frozen=True)
class Told:
    """What was said of families with one true ratio, one entry a family.

    covered: share of its pairs whose interval covers that ratio. covered_to_disk: the same of the
    intervals in proportion to the disk, if that did not change. changed: share of its pairs called
    faster or slower. alarmed: whether any was.
    """

    covered: list[float]
    covered_to_disk: list[float]
    changed: list[float]
    alarmed: list[bool]


def told(runs: Iterable[Run], ratio: float = 1.0) -> Told:
    """The verdicts on families whose true later speed is `ratio` times the earlier one."""
    with duckdb.connect() as connection:
        connection.register("pairs", _as_release_pairs(runs))
        connection.execute("create temp table stg_release_pair as from pairs")
        run_sql(connection, "stg_release_to_disk")
        judge(connection, "release_change", ("stg_release_pair", "stg_release_to_disk"))
        found = connection.execute(
            """
            select
                avg(($ratio between ratio_low and ratio_high)::integer) as covered,
                avg(($ratio between ratio_to_disk_low and ratio_to_disk_high)::integer),
                avg((change in ('faster', 'slower'))::integer) as changed,
                coalesce(bool_or(change in ('faster', 'slower')), false) as alarmed
            from release_change
            where format <> 'native'
            group by host
            order by host
            """,
            {"ratio": ratio},
        ).fetchall()
    return Told(*map(list, zip(*found, strict=True)))


def judge(connection: duckdb.DuckDBPyConnection, table: str, sources: Iterable[str]) -> None:
    """Make the table of verdicts from the intervals of `sources`, tables that are there."""
    run_sql(connection, *SQL_FILES)
    for source in sources:
        run_intervals.fill(source, connection)
    run_sql(connection, table)


def run_sql(connection: duckdb.DuckDBPyConnection, *tables: str) -> None:
    """Run the project's files of these names."""
    for name in tables:
        connection.execute(sql_file(SQL, name).read_text(encoding="utf-8"))


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
    frame["format"] = frame["cell"].where(frame["cell"] == DISK, "made-up")
    run = ["number", "op", "repeat"]
    disk = frame[frame["cell"] == DISK].set_index(run)["value"].rename("of_disk")
    frame["to_disk"] = frame["value"] - frame.join(disk, on=run)["of_disk"]
    frame.loc[frame["cell"] == DISK, "to_disk"] = None
    made_up = ("storage", "driver", "protocol", "scale", "encryption", "phase")
    return frame.drop(columns=["number", "cell"]).assign(
        **dict.fromkeys(made_up, "made-up"),
        band_bytes=None,
        earlier_release="1",
        later_release="2",
        earlier_number=1,
        later_number=2,
        place=1,
        earlier_measured=True,
        why_not_comparable=None,
        vouched_by="own",
    )
