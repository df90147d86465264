"""The number of repeats, and the value of more."""

from typing import Any

AUTO = "auto"

# runs that verdicts need: the rule `runs` of the table verdict_rule
FOR_VERDICTS = 3


def count(config: dict[str, Any]) -> int:
    """The repeats of a checked config: `auto` is 1 at scale smoke, else enough for verdicts."""
    if config["repeats"] != AUTO:
        return config["repeats"]
    return 1 if config["scale"] == "smoke" else FOR_VERDICTS


def in_words(repeats: int) -> str:
    """A sentence on the repeats: the use of fewer, or the gain of one more."""
    if repeats < FOR_VERDICTS:
        runs = "one run" if repeats == 1 else f"{repeats} runs"
        return f"{runs} of each cell; a verdict needs {FOR_VERDICTS}"
    time = 100 / repeats
    # the width falls with the root of the number of runs, and with the degrees of freedom
    narrower = 100 * (1 - (repeats / (repeats + 1)) ** 0.5)
    return (
        f"{repeats} runs of each cell; one more takes {time:.0f} % more time and makes intervals "
        f"narrower by {narrower:.0f} % or more"
    )
