"""Does a cell under two OS releases differ by more than chance? One p per pair and direction.

The test is van Elteren's (1960): a Wilcoxon-Mann-Whitney test of the files' rates within each size,
the strata added up with the weight 1 / (n + 1). Sizes are compared with themselves, so that it does
not matter that large files are faster; nothing is assumed about how the rates are spread. Exact
distributions are not used: the normal one, with the correction for ties, serves from a few files on
(a single set, 16 pairs, is the least that a study measures).
"""

import duckdb
import numpy as np
import pandas as pd
import scipy.stats

from database.statistics import Files, measured_files


def fill(connection: duckdb.DuckDBPyConnection) -> None:
    """Fill the table `stg_release_test`."""
    pairs = connection.execute(
        "select earlier_cell, later_cell, op from stg_release_pair order by all"
    ).fetchall()
    if not pairs:
        return
    files = {(one.cell, one.op): one for one in measured_files(connection)}
    rows = [
        (earlier, later, op, van_elteren(files[earlier, op], files[later, op]))
        for earlier, later, op in pairs
        if (earlier, op) in files and (later, op) in files
    ]
    frame = pd.DataFrame(rows, columns=["earlier_cell", "later_cell", "op", "p"])
    connection.register("computed", frame.astype({"p": "float64"}))
    connection.execute("""
        insert into stg_release_test
        select earlier_cell, later_cell, op, nullif(p, 'nan')
        from computed
    """)
    connection.unregister("computed")


def van_elteren(one: Files, other: Files) -> float | None:
    """Two-sided p; None when no size was measured on both sides or all rates are equal."""
    difference = 0.0
    variance = 0.0
    for size in np.intersect1d(one.size_bytes, other.size_bytes):
        mine = one.elapsed_ns[one.size_bytes == size]
        theirs = other.elapsed_ns[other.size_bytes == size]
        # within one size the order of the times is the order of the rates
        both = np.concatenate([mine, theirs])
        count = len(both)
        ranks = scipy.stats.rankdata(both)
        ties = np.unique(both, return_counts=True)[1]
        weight = 1 / (count + 1)
        difference += weight * (ranks[: len(mine)].sum() - len(mine) * (count + 1) / 2)
        variance += (
            weight**2
            * len(mine)
            * len(theirs)
            / 12
            * (count + 1 - (ties**3 - ties).sum() / (count * (count - 1)))
        )
    if variance <= 0:
        return None
    return float(2 * scipy.stats.norm.sf(abs(difference) / variance**0.5))
