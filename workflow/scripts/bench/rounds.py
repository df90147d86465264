"""Interleaved rounds, and what they say: ratios within one round, their median and spread."""

import math
import statistics
from dataclasses import dataclass

from bench.contenders import Contender, Rates


@dataclass(frozen=True)
class Ratio:
    """The first contender's rate over another's, over all rounds."""

    median: float
    lowest: float
    highest: float


def interleaved(contenders: list[Contender], rounds: int) -> list[dict[str, Rates]]:
    """Measure every contender in each round, each round beginning with another one.

    One round before the first warms up and is thrown away.
    """
    results = []
    for number in range(rounds + 1):
        start = number % len(contenders)
        order = contenders[start:] + contenders[:start]
        results.append({contender.name: contender.measure() for contender in order})
    return results[1:]


def ratio(results: list[dict[str, Rates]], op: str, name: str, other: str) -> Ratio:
    """The ratio of two contenders' rates, taken within each round."""
    ratios = [round_[name][op] / round_[other][op] for round_ in results]
    return Ratio(statistics.median(ratios), min(ratios), max(ratios))


def median_interval(values: list[float], level: float = 0.95) -> tuple[float, float]:
    """The narrowest pair of values, as far from both ends, that holds the median at this level.

    By their ranks alone, whatever their distribution: Hahn and Meeker, Statistical Intervals, 5.2.
    All of the values where there are too few for that.
    """
    ordered, count = sorted(values), len(values)
    outside, rank = 0.0, 0  # chance that the median lies below the value of this rank, or above
    while (more := outside + math.comb(count, rank) / 2 ** (count - 1)) <= 1 - level:
        outside, rank = more, rank + 1
    rank = max(rank, 1)
    return ordered[rank - 1], ordered[count - rank]


def against_goal(found: Ratio, goal: float) -> str:
    """A ratio, its spread, and whether the median reaches the goal."""
    verdict = "reached" if found.median >= goal else "missed"
    return (
        f"{found.median:.2f} ({found.lowest:.2f} to {found.highest:.2f})"
        f"   goal >= {goal:.2f}: {verdict}"
    )


def table(results: list[dict[str, Rates]], names: list[str]) -> list[str]:
    """One line for each direction and contender: median rate, and the first one's ratio to it."""
    first, *others = names
    lines = []
    for op in ("write", "read"):
        for name in names:
            rates = [round_[name][op] / 1e9 for round_ in results]
            line = (
                f"{op:5}  {name:20} {statistics.median(rates):6.2f} GB/s"
                f" ({min(rates):.2f} to {max(rates):.2f})"
            )
            if name in others:
                found = ratio(results, op, first, name)
                line += (
                    f"   {first} / {name}: {found.median:.3f}"
                    f" ({found.lowest:.3f} to {found.highest:.3f})"
                )
            lines.append(line)
    return lines
