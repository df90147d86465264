"""The number of repeats, and its explanation."""

import re
from pathlib import Path

import pytest

from study import repeats

SQL = Path(__file__).parents[2] / "sql"


@pytest.mark.parametrize(
    ("scale", "expected"), [("smoke", 1), ("tenth", 3), ("half", 3), ("gold", 3)]
)
def test_auto_is_one_at_smoke_scale_and_what_verdicts_need_elsewhere(scale, expected):
    assert repeats.count({"scale": scale, "repeats": "auto"}) == expected
    assert repeats.count({"scale": scale, "repeats": 7}) == 7


def test_verdicts_need_as_many_as_the_rule_says():
    rule = (SQL / "marts/18_verdict_rule.sql").read_text(encoding="utf-8")
    [fewest] = re.findall(r"'runs', 'too few runs',\n.*\n\s+(\d+),", rule)
    assert int(fewest) == repeats.FOR_VERDICTS


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (1, "one run of each cell; a verdict needs 3"),
        (2, "2 runs of each cell; a verdict needs 3"),
        # a fourth of three: a third more; the root of 3 / 4 is 0.866
        (
            3,
            "3 runs of each cell; one more takes 33 % more time and makes intervals narrower by "
            "13 % or more",
        ),
    ],
)
def test_it_says_what_the_runs_are_good_for_or_what_one_more_would_gain(count, said):
    assert repeats.in_words(count) == said
