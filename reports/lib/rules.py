"""Tolerances of verdicts from the table `verdict_rule`, for use in sentences."""

from lib import words
from lib.database import query


def tolerance(comparison: str, rule: str) -> float:
    """A tolerance as a share."""
    [found] = query(
        "select tolerance from verdict_rule where comparison = $comparison and rule = $rule",
        comparison=comparison,
        rule=rule,
    )["tolerance"]
    return float(found)


def runs() -> int:
    """The runs that an interval and a verdict need."""
    return int(tolerance("every comparison", "runs"))


def fewest_runs() -> str:
    """The same as a word."""
    return words.number(runs())


def too_few(count: int) -> str:
    """Of how many runs something is, where a verdict needs more."""
    of = "one run" if count == 1 else f"{count} runs"
    return f"{of}, no verdict from fewer than {runs()}"


def notable() -> float:
    """Printed figures that differ by a smaller share are said to be about equal."""
    return tolerance("start page", "published change")


def near_limit() -> float:
    """The share of the harness's own speed at which speeds stop being comparable."""
    return tolerance("measured_speed", "limit")
