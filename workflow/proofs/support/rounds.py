"""Interleaved rounds, and what they say: ratios within one round, their median and spread."""

import statistics
from dataclasses import dataclass

from proofs.support import goals
from proofs.support.contenders import Contender, Rates
from proofs.support.goals import Band, Interval


@dataclass(frozen=True)
class Ratio:
    """The first contender's rate over another's, over all rounds."""

    median: float
    lowest: float
    highest: float
    interval: Interval | None


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
    return Ratio(statistics.median(ratios), min(ratios), max(ratios), goals.of_median(ratios))


def against_goal(found: Ratio, goal: Band) -> str:
    """A ratio, its interval, and the verdict on its goal."""
    interval = "too few rounds"
    if found.interval:
        low, high = found.interval
        interval = f"{low:.2f} to {high:.2f}"
    verdict = goals.told(goal.judge(found.interval))
    return f"{found.median:.2f} [{interval}]   goal {goal.words}: {verdict}"


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
