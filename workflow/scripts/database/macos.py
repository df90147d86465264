"""Statements about macOS and verdicts of probes, as text for the staging queries."""

from collections.abc import Iterator
from pathlib import Path

from database.published import Row
from probe import report
from probe.statements import FILE, all_of_them
from probe.taking_in import filing

STATEMENT = ("statement", "says", "since", "until", "used", "source", "probe", "without")
PROBE = ("report", "macos", "build", "statement", "verdict", "detail")

# files that the tables depend on, besides the reports
SOURCES = (FILE, Path(report.__file__), Path(filing.__file__))


def statements() -> list[Row]:
    """Every statement of workflow/config/statements.yaml."""
    return [
        {
            "statement": one.id,
            "says": one.says,
            "since": str(one.since),
            "until": one.until and str(one.until),
            "used": ", ".join(one.used),
            "source": one.source,
            "probe": one.probe,
            "without": one.without,
        }
        for one in all_of_them().values()
    ]


def verdicts(probes: Path) -> Iterator[Row]:
    """The verdict of each filed report on each statement."""
    for one in filing.kept(probes):
        system = one.document["os"]
        for statement in one.document["statements"]:
            yield {
                "report": one.id,
                "macos": system["version"],
                "build": system["build"],
                "statement": statement["id"],
                "verdict": statement["verdict"],
                "detail": _detail(statement),
            }


def _detail(statement: dict) -> str:
    """The deciding observation: the first that contradicts, else the first without a result."""
    wanted = {report.CONTRADICTED: False, report.UNKNOWN: None, report.CONFIRMED: True}
    holds = wanted[statement["verdict"]]
    look = next(one for one in statement["observations"] if one["holds"] is holds)
    return look["seen"] if holds is None else f"{look['done']}: {look['seen']}"
