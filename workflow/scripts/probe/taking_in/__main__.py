"""Files the reports of probes, and shows what to fix.

Usage: bash workflow/run.sh take-probe FOLDER [FOLDER ...]

FOLDER is what `run.sh probe` wrote, on this Mac or on another one. A report that was edited or
contains personal data is refused, and so are the others of the same command. An accepted report of
a Mac is stored once in data/probes, from where the site reads it. Then it is compared, answer by
answer, with the stand-ins (programs that imitate this release in tests), and with the other reports
of this release.
Exit codes: 0 done, whatever differs; 2 bad input, 3 less than 5 GB free, 6 the report is refused,
1 the stand-ins cannot be built.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from arguments import Parser, typed_path
from console import ExitCode, log_to, one_line, show
from probe import screen
from probe.report import CONTRADICTED, Found
from probe.statements import all_of_them
from probe.taking_in import check, compare, filing, played

LIST = Path(".diskbench/logs/take-probe.txt")
LOG = LIST.with_suffix(".log")
# lines of one screen; the file has all
MOST_LINES = 40


def main(words: list[str] | None = None) -> int:
    """Check, file, compare, print."""
    parser = Parser(
        prog="bash workflow/run.sh take-probe",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folders", metavar="FOLDER", type=typed_path, nargs="+")
    reports = [check.checked(folder) for folder in parser.parse_args(words).folders]
    log_to(LOG)
    played.build()
    told = [line for taken in reports for line in _taken(taken)]
    LIST.parent.mkdir(parents=True, exist_ok=True)
    LIST.write_text("".join(f"{line}\n" for line in told), encoding="utf-8")
    show("\n".join(told[:MOST_LINES]))
    if len(told) > MOST_LINES:
        show(f"{len(told) - MOST_LINES} more lines in {LIST}")
    return ExitCode.DONE


def _taken(taken: check.Report) -> Iterator[str]:
    """File a report, and compare it."""
    others = [one for one in filing.kept(release=taken.release) if one.id != taken.id]
    if taken.document["stand_in"]:
        yield f"a report of stand-ins ({taken.release}), not of a Mac: compared, and not filed"
    else:
        folder = filing.file(taken)
        where = filing.PROBES / taken.release / taken.id
        yield f"filed: {folder}" if folder else f"filed already: {where}"
    system = taken.document["os"]
    of_stand_in = played.report(system["version"], system["build"], played.TARGET)
    yield from lines(taken, of_stand_in, others)


def lines(taken: check.Report, of_stand_in: Found, others: list[check.Report]) -> Iterator[str]:
    """What was found, and what is to be fixed."""
    for one in taken.document["statements"]:
        if one["verdict"] != CONTRADICTED:
            continue
        known = all_of_them().get(one["id"])
        yield one_line(f"contradicted: {one['id']}: {known.says if known else 'no longer stated'}")
        wrong = next(seen for seen in one["observations"] if seen["holds"] is False)
        yield one_line(screen.seen(wrong))
        used = known.used if known else ()
        yield f"  fix: {', '.join(used) or 'the statement'}"
    for other in others:
        yield from _compared(f"report {other.id} of this release", taken, other)
        yield from (f"  {line}" for line in compare.verdicts(taken, other))
    yield from _compared("the stand-ins", taken, of_stand_in)


def _compared(what: str, mac: Found, other: Found) -> Iterator[str]:
    differences = compare.differences(mac, other)
    both = {one["name"] for one in mac.document["answers"]} - set(compare.alone(mac, other))
    alike = len(both - differences.keys())
    yield f"compared with {what}: {alike} of {len(both)} answers alike (first: this report)"
    for side, names in (
        ("first", compare.alone(mac, other)),
        ("second", compare.alone(other, mac)),
    ):
        if names:
            yield one_line(f"  only the {side} has {len(names)} answers: {', '.join(names)}"[:300])
    for name, told in differences.items():
        yield f"  {name}"
        yield from (one_line(f"    {line}") for line in told)
