"""Figures of the project's own benchmarks and long tests, from `data/proofs`."""

import json
import re
from collections import Counter

from lib import project, show, tables, words

FOLDER = "data/proofs"
# studies of one machine on which nothing changed, compared with each other
UNCHANGED = ("again-quiet", "again-loaded")
# whether a goal was reached
YES, NO, OPEN = "yes", "no", "no verdict"


def trust() -> str:
    """How often verdicts and intervals were right where nothing had changed; empty if unknown."""
    every = [json.loads(project.text(f"{FOLDER}/{name}.json")) for name in UNCHANGED]
    kept = [proof for proof in every if not _outdated(proof)]
    if not kept:
        return ""
    systems = {proof["machine"].partition(" ")[0] for proof in kept}
    # named there "Pairs called faster or slower: 780 pairs of 13 studies of 3 runs"
    called = [_found(proof, "Pairs called faster or slower") for proof in kept]
    counts = [
        re.search(r"(\d+) pairs of \d+ studies of (\d+) runs", one["what"]).groups()
        for one in called
    ]
    [runs] = {int(runs) for _, runs in counts}
    pairs = sum(int(pairs) for pairs, _ in counts)
    wrong = max(one["value"] for one in called) / 100
    sentences = [
        f"On one {words.listed(sorted(systems))} machine where nothing had changed, studies of "
        f"{words.number(runs)} runs were compared two by two.",
        f"Of {pairs:,} pairs of the same image, "
        f"{f'up to {words.percent(wrong)} were' if wrong else 'none was'} called faster or slower.",
        f"Of the {words.percent(kept[0]['level'])} intervals of a plain ratio, "
        f"{_shares(kept, 'Intervals of the ratio')} covered the true ratio, which is 1; in "
        f"proportion to the disk itself, {_shares(kept, 'The same in proportion')} did.",
        "" if "Darwin" in systems else "No Mac has been tested.",
    ]
    return words.joined(sentences, " ")


def _found(proof: dict, begins: str) -> dict:
    """The figure of a proof whose name begins so."""
    [found] = [figure for figure in proof["figures"] if figure["what"].startswith(begins)]
    return found


def _shares(kept: list[dict], begins: str) -> str:
    """The lowest and the highest of a figure in per cent, of several proofs."""
    shares = [_found(proof, begins)["value"] / 100 for proof in kept]
    return words.percents(min(shares), max(shares))


def shown() -> show.Shown:
    """How many goals each proof reached and missed, then a table for each with its figures."""
    files = sorted((project.ROOT / FOLDER).glob("*.json"))
    kept = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in files}
    return show.together(
        _goals(kept),
        *(_part(name, proof) for name, proof in kept.items()),
    )


def _goals(kept: dict[str, dict]) -> show.Shown:
    """A row for each proof: of how many goals its figures reached, missed or left open."""
    rows = []
    for name, proof in kept.items():
        old = _outdated(proof)
        counts = Counter(_reached(figure, old) for figure in proof["figures"])
        rows.append((tables.link(proof["title"], f"#table-proof-{name}"), counts))
    every = sum((counts for _, counts in rows), Counter())
    return tables.table(
        rows,
        [
            tables.sentence("Benchmark or test", 0),
            tables.number("Reached", lambda row: row[1][YES] or ""),
            tables.number("Missed", lambda row: row[1][NO] or ""),
            tables.number("No verdict", lambda row: row[1][OPEN] or ""),
        ],
        f"Goals: {every[YES]} reached, {every[NO]} missed, {every[OPEN]} without a verdict",
        name="proofs",
    )


def _part(name: str, proof: dict) -> show.Shown:
    old = _outdated(proof)
    return tables.table(
        proof["figures"],
        [
            tables.sentence("What", "what"),
            tables.number("Found", _value),
            tables.text("Goal", lambda figure: words.value(figure["goal"], "none")),
            tables.text("Reached", lambda figure: _reached(figure, old)),
        ],
        _caption(name, proof, old),
        name=f"proof-{name}",
        classes="wide",
        command=proof["command"],
    )


def _outdated(proof: dict) -> str | None:
    """Why a file does not apply to today's diskbench; empty if it does."""
    now = project.constant("workflow/scripts/record.py", "HARNESS_EPOCH")
    # only files measured with the harness have an epoch
    if proof.get("epoch", now) < now:
        return "measured by an older epoch of the harness (the code that measures)"
    return None


def _caption(name: str, proof: dict, old: str | None) -> str:
    """Subject, date, machine and version of the figures, with other saved facts."""
    day = proof["measured_utc"].partition("T")[0]
    sentences = [
        f"{proof['title']}. Measured on {day} with version {proof['version']} "
        f"on {proof['machine']}",
    ]
    if old:
        sentences.append(f"No verdict: {old}")
    beside = f"{FOLDER}/{name}.csv"
    if (project.ROOT / beside).is_file():
        sentences.append(f"Every single run: {beside}")
    return ". ".join(sentences)


def _value(figure: dict) -> str:
    low, high, unit = figure["low"], figure["high"], figure["unit"]
    if unit == "bytes":
        say, unit = words.size, ""
    else:
        say = _number
    found = f"{say(figure['value'])} {unit}".strip()
    return found if low is None or high is None else f"{found} ({say(low)} to {say(high)})"


def _number(value: float) -> str:
    if float(value).is_integer():
        return f"{value:,.0f}"
    return words.significant(value)


def _reached(figure: dict, old: str | None) -> str:
    if figure["goal"] is None:
        return ""
    if old:
        return OPEN
    # no verdict must not look like a reached goal
    return {None: OPEN, True: YES, False: NO}[figure["reached"]]
