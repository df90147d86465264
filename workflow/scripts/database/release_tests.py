"""Does a cell under two OS releases differ by more than chance? One p per pair and direction.

The test is van Elteren's (1960): a Wilcoxon-Mann-Whitney test of the files' rates within each size,
the strata added up with the weight 1 / (n + 1). Sizes are compared with themselves, so that it does
not matter that large files are faster; nothing is assumed about how the rates are spread.

With few files p is exact, by its definition: of all the ways to part the files of each size between
the two sides, each as likely, the share that lies at least as far from the middle (Hollander and
Wolfe 1999, "Nonparametric Statistical Methods"). At scale tenth, 16 sizes with one file on each
side, the normal distribution would call 7.7 % of equal pairs different at p < 0.05. With more than
`EXACT_FILES` files of a size (scale gold) it serves, with the correction for ties.
"""

from functools import lru_cache
from math import lcm

import duckdb
import numpy as np
import scipy.special

from database import rows
from database.statistics import Files, measured_files

# On both sides together; five and five are scale half.
EXACT_FILES = 10

# Places of the sum of all sizes: where the numbers of files differ so much that their weights have
# no small common denominator, the normal distribution serves.
EXACT_PLACES = 100_000


def fill(connection: duckdb.DuckDBPyConnection) -> None:
    """Fill the table `stg_release_test`."""
    pairs = connection.execute(
        "select earlier_cell, later_cell, op from stg_release_pair order by all"
    ).fetchall()
    if not pairs:
        return
    files = {(one.cell, one.op): one for one in measured_files(connection)}
    found = [
        (earlier, later, op, van_elteren(files[earlier, op], files[later, op]))
        for earlier, later, op in pairs
        if (earlier, op) in files and (later, op) in files
    ]
    rows.insert(connection, "stg_release_test", found)


def van_elteren(one: Files, other: Files) -> float | None:
    """Two-sided p; None when no size was measured on both sides or all rates are equal."""
    strata = []
    for size in np.intersect1d(one.size_bytes, other.size_bytes):
        mine = one.elapsed_ns[one.size_bytes == size]
        theirs = other.elapsed_ns[other.size_bytes == size]
        # within one size the order of the times is the order of the rates
        twice = _twice_the_ranks(np.concatenate([mine, theirs]))
        strata.append((len(mine), int(twice[: len(mine)].sum()), tuple(sorted(twice.tolist()))))
    if all(len(set(ranks)) == 1 for _, _, ranks in strata):
        return None
    if max(len(ranks) for *_, ranks in strata) <= EXACT_FILES:
        common = lcm(*(len(ranks) + 1 for *_, ranks in strata))
        if sum(sum(ranks) * common // (len(ranks) + 1) for *_, ranks in strata) <= EXACT_PLACES:
            return _exact(strata, common)
    return _normal(strata)


def _twice_the_ranks(values: np.ndarray) -> np.ndarray:
    """Equal values share the mean of their ranks, which times two is whole."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (2 * np.cumsum(counts) - counts + 1)[places]


# Files of the one side, twice their sum of ranks, twice the ranks of both sides in ascending order.
Stratum = tuple[int, int, tuple[int, ...]]


def _normal(strata: list[Stratum]) -> float:
    difference = 0.0
    variance = 0.0
    for mine, twice, ranks in strata:
        count = len(ranks)
        weight = 1 / (count + 1)
        ties = np.unique(ranks, return_counts=True)[1]
        difference += weight * (twice / 2 - mine * (count + 1) / 2)
        variance += (
            weight**2
            * mine
            * (count - mine)
            / 12
            * (count + 1 - (ties**3 - ties).sum() / (count * (count - 1)))
        )
    return float(2 * scipy.special.ndtr(-abs(difference) / variance**0.5))


def _exact(strata: list[Stratum], common: int) -> float:
    """The share of all partings that are at least as far from the middle, in whole numbers."""
    weights = [common // (len(ranks) + 1) for *_, ranks in strata]
    seen = sum(weight * twice for weight, (_, twice, _) in zip(weights, strata, strict=True))
    # its expectation: n (N + 1), times common / (N + 1), of each size
    middle = sum(mine * common for mine, *_ in strata)
    shape = tuple(
        sorted(
            (weight, mine, ranks) for weight, (mine, _, ranks) in zip(weights, strata, strict=True)
        )
    )
    spread = _distribution(shape)
    far = np.abs(np.arange(len(spread)) - middle) >= abs(seen - middle)
    return min(1.0, float(spread[far].sum()))


@lru_cache(maxsize=64)
def _distribution(shape: tuple[tuple[int, int, tuple[int, ...]], ...]) -> np.ndarray:
    """How likely each weighted sum of twice the ranks is, over all sizes."""
    spread = np.ones(1)
    for weight, mine, ranks in shape:
        one = _rank_sums(mine, ranks)
        spaced = np.zeros((len(one) - 1) * weight + 1)
        spaced[::weight] = one
        spread = np.convolve(spread, spaced)
    return spread


@lru_cache(maxsize=1024)
def _rank_sums(mine: int, ranks: tuple[int, ...]) -> np.ndarray:
    """How likely each sum of `mine` of these is when all choices are."""
    ways = np.zeros((mine + 1, sum(ranks) + 1))
    ways[0, 0] = 1
    for rank in ranks:
        ways[1:, rank:] += ways[:-1, : ways.shape[1] - rank].copy()
    return ways[mine] / ways[mine].sum()
