"""Did files become faster or slower in the course of a pass, and by how much?

The drift is the Theil-Sen slope (Theil 1950, Sen 1968) of each file's residual on its position,
from the first to the last: the residual is the logarithm of its rate less the median of its size
(`stg_file_residual`), so that the size says nothing. Its interval is Sen's own, from Kendall's tau:
residuals of all sizes are taken to vary alike.
"""

from collections import defaultdict

import duckdb
import numpy as np
import scipy.special

from database import rows
from database.statistics.estimate import CONFIDENCE
from database.statistics.series import CELLS_AT_ONCE
from database.statistics.theil_sen import SLOPES_AT_ONCE, slopes

LEAST_FILES = 10  # fewer have no drift that one could tell from chance


def fill(connection: duckdb.DuckDBPyConnection) -> None:
    """Fill the table `stg_file_drift`, so many cells at a time."""
    cells = connection.execute(
        "select distinct cell from stg_file_residual order by all"
    ).fetchall()
    for first in range(0, len(cells), CELLS_AT_ONCE):
        (low,), (high,) = cells[first], cells[first : first + CELLS_AT_ONCE][-1]
        passes = connection.execute(
            """
            select cell, op, list(residual order by "order")
            from stg_file_residual
            where cell between ? and ? and files_of_size > 1
            group by all
            having count(*) >= ? and count(distinct residual) > 1
            order by all
            """,
            [low, high, LEAST_FILES],
        ).fetchall()
        found = drifts([np.array(residuals) for *_, residuals in passes])
        rows.insert(
            connection,
            "stg_file_drift",
            [(cell, op, *one) for (cell, op, _), one in zip(passes, found, strict=True)],
        )


def drifts(passes: list[np.ndarray]) -> list[tuple[float, float, float]]:
    """The change of the rate from the first to the last file as a share, with its interval.

    passes: the residuals of each, (files,), in the order of the files.
    """
    by_count = defaultdict(list)
    for number, residuals in enumerate(passes):
        by_count[len(residuals)].append(number)
    found = {}
    for count, numbers in by_count.items():
        # many at once: the slopes of one take longer to ask for than to compute
        at_once = max(1, SLOPES_AT_ONCE // (count * (count - 1) // 2))
        for first in range(0, len(numbers), at_once):
            some = numbers[first : first + at_once]
            residuals = np.stack([passes[number] for number in some])
            all_slopes, _ = slopes(np.arange(count, dtype=float), residuals, np.arange(count))
            for number, row, its_slopes in zip(some, residuals, all_slopes, strict=True):
                found[number] = _drift(row, its_slopes)
    return [found[number] for number in range(len(passes))]


def _drift(residuals: np.ndarray, its_slopes: np.ndarray) -> tuple[float, float, float]:
    count, pairs = len(residuals), len(its_slopes)
    ties = np.unique(residuals, return_counts=True)[1]
    variance = (
        count * (count - 1) * (2 * count + 5) - (ties * (ties - 1) * (2 * ties + 5)).sum()
    ) / 18
    reach = scipy.special.ndtri((1 + CONFIDENCE) / 2) * variance**0.5
    low = max(int(np.floor((pairs - reach) / 2)) - 1, 0)
    high = min(int(np.ceil((pairs + reach) / 2)), pairs - 1)
    middle = [(pairs - 1) // 2, pairs // 2]
    ordered = np.partition(its_slopes, [low, *middle, high])
    return tuple(
        float(np.expm1(slope * (count - 1)))
        for slope in (ordered[middle].mean(), ordered[low], ordered[high])
    )
