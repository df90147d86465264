"""The tolerances of verdicts, for sentences: each is a row of the table `verdict_rule`."""

from lib.database import query


def tolerance(comparison: str, rule: str) -> float:
    """A tolerance as a share; KeyError when there is no such rule."""
    rows = query(
        "select tolerance from verdict_rule where comparison = $comparison and rule = $rule",
        comparison=comparison,
        rule=rule,
    )
    if rows.empty:
        raise KeyError(f"{comparison}, {rule}")
    return float(rows["tolerance"].iloc[0])
