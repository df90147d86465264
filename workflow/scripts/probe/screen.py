"""A report on one screen of the terminal."""

from textwrap import TextWrapper
from typing import Any

from console import one_line
from probe.report import CONFIRMED, CONTRADICTED, UNKNOWN
from probe.statements import all_of_them

# A terminal has 80 columns at least.
WIDTH = 100
ROWS = TextWrapper(WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


def lines(document: dict[str, Any], folder: str) -> list[str]:
    """The verdicts, contradictions first, and the path of the report."""
    by_verdict: dict[str, list[dict[str, Any]]] = {CONTRADICTED: [], UNKNOWN: [], CONFIRMED: []}
    for one in document["statements"]:
        by_verdict[one["verdict"]].append(one)
    told = [_head(document)]
    counts = ", ".join(f"{len(found)} {verdict}" for verdict, found in reversed(by_verdict.items()))
    told.append(f"{len(document['statements'])} statements about this macOS: {counts}")
    for one in by_verdict[CONTRADICTED]:
        told += ["", f"contradicted: {one['id']}", f"  {all_of_them()[one['id']].says}"]
        wrong = [look for look in one["observations"] if look["holds"] is False]
        told += [seen(one) for one in wrong[:3]]
        if len(wrong) > 3:
            told.append(f"  and {len(wrong) - 3} more, in probe.json")
    if by_verdict[UNKNOWN]:
        told += ["", "unknown:"]
        for one in by_verdict[UNKNOWN]:
            why = next(look["seen"] for look in one["observations"] if look["holds"] is None)
            told.append(f"  {one['id']}: {why}")
    if by_verdict[CONFIRMED]:
        names = " ".join(one["id"] for one in by_verdict[CONFIRMED])
        told += ["", "confirmed:", *ROWS.wrap(names)]
    told += ["", *_series(document["series"])]
    told.append(f"report: {folder}")
    return [one_line(line)[: 2 * WIDTH] for line in told]


def _head(document: dict[str, Any]) -> str:
    host, system = document["host"], document["os"]
    kind = " (virtual)" if host["virtual"] else ""
    stand_ins = "stand-ins for " if document["stand_in"] else ""
    name = host["chip"] or host["model"] or "a Mac"
    return f"{stand_ins}macOS {system['version']} ({system['build']}) on {name}{kind}"


def seen(look: dict[str, Any]) -> str:
    """An observation on one line."""
    return f"  {look['done']}: {look['seen']}"


def _series(series: list[dict[str, Any]]) -> list[str]:
    told = []
    for one in series:
        failed = sum(one["failures"].values())
        words = f"{one['format']}: {one['tries']} times attached and detached, {failed} failed"
        for verb in ("attach", "detach"):
            times = sorted(one[f"{verb}_ms"])
            if times:
                middle, late = times[len(times) // 2], times[len(times) * 95 // 100]
                words += f"; {verb} {middle} ms (median), {late} ms (95th percentile)"
        told.append(words)
    return told
