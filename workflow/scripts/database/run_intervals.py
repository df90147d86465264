"""The mean of several runs, its 95 % interval, and p; runs are the unit.

The files of one run share its image, time and temperature, so only further runs show how much the
next run differs. A value is the logarithm of a speed, or of the ratio of two speeds of the same
repeat; stg_conclusion_run has others. Pairing by repeat cancels what both have in common: a repeat
has the same position in each study.

The variance of a few runs is poorly known. So the values of a family (one host, study and
direction) share information: each variance is shrunk towards the common one, the more so the more
they agree (Smyth 2004, "Linear models and empirical Bayes methods for assessing differential
expression in microarray experiments", the moderated t). That adds degrees of freedom, but never
more than the family has. Runs of one repeat can be slow together: then a family of many cells
contains little more information than one cell. Its degrees of freedom are those of the two
components of its variance, between repeats and the rest (Satterthwaite 1946).

What is not comparable is a family of its own: reads from memory, say, repeat far better than those
from a disk, and would narrow their intervals.
"""

from dataclasses import dataclass
from functools import partial

import duckdb
import numpy as np
import scipy.special

from database import rows
from database.statistics import CONFIDENCE

# two runs give a single difference; same value as the rule `runs` of verdict_rule
FEWEST_RUNS = 3

# least share of the median variance: otherwise equal runs would get an interval of zero width
# as in Smyth's own program
LEAST_VARIANCE = 1e-5

# Newton steps double the correct digits; no variance of logarithms needs more than 20
LEAST_STEP, MOST_STEPS = 1e-8, 50


@dataclass(frozen=True)
class Interval:
    """The mean of several runs; the rest is None with fewer runs than `FEWEST_RUNS`.

    spread: the standard deviation between runs, shared by the family. degrees: of freedom.
    """

    runs: int
    mean: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    spread: float | None = None
    degrees: float | None = None


def fill(source: str, connection: duckdb.DuckDBPyConnection) -> None:
    """Insert the intervals of the table `source` with columns family, item, repeat, value.

    One row per item: source, family, item, and the fields of `Interval`.
    """
    read = connection.execute(
        f"select family, item, repeat, value from {source} where value is not null order by all"
    ).fetchall()
    families: dict[str, dict[str, dict[int, float]]] = {}
    for family, item, repeat, value in read:
        families.setdefault(family, {}).setdefault(item, {})[repeat] = value
    found = []
    for family, items in families.items():
        for item, one in zip(items, intervals(list(items.values())), strict=True):
            found.append((source, family, item, *vars(one).values()))
    rows.insert(connection, "stg_run_interval", found)


# the source tables by name
FILLS = {
    source: partial(fill, source)
    for source in (
        "stg_run",
        "stg_release_pair",
        "stg_release_to_disk",
        "stg_format_pair",
        "stg_encryption_pair",
        "stg_conclusion_run",
    )
}


def intervals(family: list[dict[int, float]]) -> list[Interval]:
    """The interval of each item of a family, given its values by repeat."""
    repeats = sorted({repeat for item in family for repeat in item})
    values = np.array([[item.get(repeat, np.nan) for repeat in repeats] for item in family])
    runs = np.isfinite(values).sum(axis=1)
    means = np.nanmean(values, axis=1)
    squares = np.nansum((values - means[:, None]) ** 2, axis=1)
    known = runs > 1
    prior, prior_degrees = _prior(squares[known] / (runs[known] - 1), runs[known] - 1)
    most = _degrees_of_all(values[np.isfinite(values).all(axis=1)])
    found = []
    for count, mean, square in zip(runs.tolist(), means.tolist(), squares.tolist(), strict=True):
        if count < FEWEST_RUNS:
            found.append(Interval(count, mean))
            continue
        own = count - 1
        degrees = max(own, min(own + prior_degrees, most))
        if np.isinf(prior_degrees):
            variance = prior
        else:
            variance = (prior_degrees * prior + square) / (prior_degrees + own)
        error = (variance / count) ** 0.5
        reach = float(scipy.special.stdtrit(degrees, (1 + CONFIDENCE) / 2)) * error
        p = _p(mean, error, degrees)
        spread = float(variance**0.5)
        found.append(Interval(count, mean, mean - reach, mean + reach, p, spread, float(degrees)))
    return found


def _p(mean: float, error: float, degrees: float) -> float:
    if error == 0:
        return float(mean == 0)
    return float(2 * scipy.special.stdtr(degrees, -abs(mean) / error))


def _prior(variances: np.ndarray, degrees: np.ndarray) -> tuple[float, float]:
    """The common variance of a family and its degrees of freedom (the prior).

    From the mean and the variance of the logarithms of variances (Smyth 2004, section 6.2). Zero
    degrees for a single item; infinite if all agree as well as chance allows.
    """
    positive = variances[variances > 0]
    if len(variances) < 2 or not len(positive):
        return 0.0, 0.0
    floored = np.maximum(variances, LEAST_VARIANCE * np.median(positive))
    logs = np.log(floored) - scipy.special.digamma(degrees / 2) + np.log(degrees / 2)
    middle = logs.mean()
    excess = logs.var(ddof=1) - scipy.special.polygamma(1, degrees / 2).mean()
    if excess <= 0:
        # the mean is correct even if they are not independent
        return float(np.average(variances, weights=degrees)), np.inf
    half = _inverse_trigamma(excess)
    return float(np.exp(middle + scipy.special.digamma(half) - np.log(half))), 2 * half


def _inverse_trigamma(value: float) -> float:
    # by Newton steps, which converge from one side (Smyth 2004, appendix)
    found = 1 / value + 0.5
    for _ in range(MOST_STEPS):
        there = scipy.special.polygamma(1, found)
        step = there * (1 - there / value) / scipy.special.polygamma(2, found)
        found += step
        if abs(step) < LEAST_STEP * found:
            break
    return float(found)


def _degrees_of_all(values: np.ndarray) -> float:
    """Degrees of freedom of the common variance of all items of (items, repeats).

    The variance is the sum of that between the repeats' means, over the items, and the rest.
    """
    items, repeats = values.shape
    if items < 2 or repeats < 2:
        return 0.0
    apart = values - values.mean(axis=1, keepdims=True)
    together = apart.mean(axis=0)
    between = float((together**2).sum()) / (repeats - 1)
    rest = float(((apart - together) ** 2).sum()) / (items * (repeats - 1))
    if between + rest == 0:
        return np.inf
    return (between + rest) ** 2 / (
        between**2 / (repeats - 1) + rest**2 / ((items - 1) * (repeats - 1))
    )
