"""Checks whether records that somebody sent can be accepted: the answer first, then why.

Usage: bash workflow/run.sh check-contribution FOLDER
  FOLDER   of the records of a host, or of several, laid out as in data/runs
Changes no record. Every finding is listed in .diskbench/logs/contribution.txt.
Exit codes: 0 all can be accepted, 2 no such folder or no record in it, 6 some cannot.
"""

from pathlib import Path

from arguments import Parser, typed_path
from console import ExitCode, one_line, show
from contribution.check import ADVICE, Report, check
from record import shorten

LIST = Path(".diskbench/logs/contribution.txt")


def main(words: list[str] | None = None) -> int:
    """Print the answer; 0 when all can be accepted, 6 when something cannot."""
    parser = Parser(prog="bash workflow/run.sh check-contribution")
    parser.add_argument("folder", type=typed_path)
    report = check(parser.parse_args(words).folder)
    show("\n".join([*lines(report), *_listed(report)]))
    return ExitCode.DAMAGED_RECORD if report.bad else ExitCode.DONE


def _listed(report: Report) -> list[str]:
    """Write every finding to a file, and name the file; empty without findings."""
    if not report.findings:
        return []
    found = [one_line(f"{one.kind}: {one.path}: {one.what}") for one in report.findings]
    try:
        LIST.parent.mkdir(parents=True, exist_ok=True)
        LIST.write_text("".join(f"{line}\n" for line in sorted(found)), encoding="utf-8")
    except OSError as error:
        return [f"{LIST}, a list of all, cannot be written ({error.strerror})"]
    return [f"All {len(found)} findings are listed in {LIST}"]


def lines(report: Report) -> list[str]:
    """The answer, and each kind of finding with its next step and an example."""
    hosts = plain(", ".join(sorted(report.hosts)) or "no host")
    bad = len(report.bad)
    doubtful = {one.path for one in report.findings if one.kind == "doubtful"} - report.bad
    if bad:
        told = [f"No: {bad} of {report.records} records ({hosts}) cannot be accepted."]
    else:
        but = f", {len(doubtful)} of them doubtful" if doubtful else ""
        told = [f"Yes: all {report.records} records of {hosts} can be accepted{but}."]
    for kind, advice in ADVICE.items():
        of_kind = [finding for finding in report.findings if finding.kind == kind]
        if not of_kind:
            continue
        told.append(f"{kind}, {len({one.path for one in of_kind})}: {advice}")
        told.append(f"  {plain(of_kind[0].path)}: {plain(of_kind[0].what)}")
        if len(of_kind) > 1:
            told.append(f"  and {len(of_kind) - 1} more of this kind")
    if 0 < bad < report.records:
        told.append(f"The other {report.records - bad} can be accepted without them.")
    return told


def plain(words: str) -> str:
    """A text on one line, truncated, without control characters."""
    return shorten(one_line(words))
