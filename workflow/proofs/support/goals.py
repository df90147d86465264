"""Verdicts on goals, by the whole 95 % interval.

A goal is a band. It is reached where the whole interval lies inside the band, missed where it lies
wholly outside, and else there is no verdict. That is two one-sided tests of equivalence (Schuirmann
1987), each at 2.5 %: a noisy machine, or too few rounds, can reach nothing. A count of all that was
tried ("0 of 100 kills lost a record") is no estimate and has no interval: see `proof.Figure`.
"""

import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass

import scipy.special

LEVEL = 0.95

Interval = tuple[float, float]
Verdict = bool | None


@dataclass(frozen=True)
class Band:
    """A goal: in words, and from where to where, both ends included."""

    words: str
    low: float = -math.inf
    high: float = math.inf

    def judge(self, interval: Interval | None) -> Verdict:
        """True: reached. False: missed. None: no verdict, as without an interval."""
        if interval is None:
            return None
        low, high = interval
        if self.low <= low and high <= self.high:
            return True
        return False if high < self.low or self.high < low else None


def at_most(limit: float, words: str | None = None) -> Band:
    """Everything up to a limit."""
    return Band(words or f"<= {limit:g}", high=limit)


# of a count of all that was tried
NONE = at_most(0, "0")


def at_least(limit: float, words: str | None = None) -> Band:
    """Everything from a limit on."""
    return Band(words or f">= {limit:g}", low=limit)


def alike(share: float) -> Band:
    """Ratios that differ from 1 by no more than this, up or down."""
    low, high = math.exp(-share), math.exp(share)
    return Band(f"{low:.3f} to {high:.3f}", low, high)


def told(verdict: Verdict) -> str:
    """The verdict in words."""
    return {True: "reached", False: "missed", None: "no verdict"}[verdict]


def of_median(values: list[float]) -> Interval | None:
    """The narrowest pair of values, as far from both ends, that covers the median at this level.

    By their ranks alone, whatever their distribution: Hahn and Meeker, Statistical Intervals, 5.2.
    None of fewer than six values: even the lowest and the highest of five cover it in 94 % only.
    """
    ordered, count = sorted(values), len(values)
    outside, rank = 0.0, 0  # chance that the median lies below the value of this rank, or above
    while (more := outside + math.comb(count, rank) / 2 ** (count - 1)) <= 1 - LEVEL:
        outside, rank = more, rank + 1
    return (ordered[rank - 1], ordered[count - rank]) if rank else None


def of_share(count: int, tried: int) -> Interval | None:
    """The exact interval of a share (Clopper and Pearson 1934) of independent trials."""
    if not tried:
        return None
    tail = (1 - LEVEL) / 2
    low = scipy.special.betaincinv(count, tried - count + 1, tail) if count else 0.0
    high = scipy.special.betaincinv(count + 1, tried - count, 1 - tail) if count < tried else 1.0
    return float(low), float(high)


def percent(interval: Interval | None) -> Interval | None:
    """The interval of a share in percent."""
    return interval and (100 * interval[0], 100 * interval[1])


def of_mean(values: list[float]) -> Interval | None:
    """Student's interval of a mean; None of one value."""
    if len(values) < 2:
        return None
    return _student(statistics.fmean(values), statistics.variance(values) / len(values), values)


def of_pairs(count: int, mean: Callable[[list[int]], float]) -> Interval | None:
    """The interval of a mean over all pairs of `count` units, by leaving out one unit at a time.

    mean: of the pairs among these units. Pairs that share a unit depend on each other, so the unit
    is what is counted: the jackknife of Arvesen (1969), with Student's t. None below three units.
    """
    units = list(range(count))
    if count < 3:
        return None
    without = [mean(units[:one] + units[one + 1 :]) for one in units]
    spread = statistics.pvariance(without) * (count - 1)
    return _student(mean(units), spread, units)


def _student(middle: float, variance: float, values: list) -> Interval:
    reach = float(scipy.special.stdtrit(len(values) - 1, (1 + LEVEL) / 2)) * math.sqrt(variance)
    return middle - reach, middle + reach
