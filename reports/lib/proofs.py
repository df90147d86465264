"""Figures of the project's own benchmarks and long tests, from `data/proofs`."""

import json

from lib import project, show, tables, words

FOLDER = "data/proofs"


def shown() -> show.Shown:
    """A table for each part, with date, machine and current command."""
    files = sorted((project.ROOT / FOLDER).glob("*.json"))
    if not files:
        return show.text("No figures have been saved yet.")
    names = ", ".join(f"[{file.stem}](#table-proof-{file.stem})" for file in files)
    return show.together(
        show.text(f"On this page: {names}."),
        *(_part(file.stem, json.loads(file.read_text(encoding="utf-8"))) for file in files),
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
    if proof["version"].endswith("-dirty"):
        return "the working copy differed from the commit"
    now = project.constant("workflow/scripts/record.py", "HARNESS_EPOCH")
    # only files measured with the harness have an epoch
    if proof.get("epoch", now) < now:
        return "measured by an older epoch of the harness (the code that measures)"
    return None


def _caption(name: str, proof: dict, old: str | None) -> str:
    """Subject, date, machine and version of the figures, with other saved facts."""
    day = proof["measured_utc"].partition("T")[0]
    told = [
        f"{proof['title']}. Measured on {day} with version {proof['version']} "
        f"on {proof['machine']}",
    ]
    if old:
        told.append(f"No verdict: {old}")
    beside = f"{FOLDER}/{name}.csv"
    if (project.ROOT / beside).is_file():
        told.append(f"Every single run: {beside}")
    return ". ".join(told)


def _value(figure: dict) -> str:
    unit = f" {figure['unit']}" if figure["unit"] else ""
    spread = ""
    if figure["low"] is not None and figure["high"] is not None:
        spread = f" ({_number(figure['low'])} to {_number(figure['high'])})"
    return f"{_number(figure['value'])}{unit}{spread}"


def _number(value: float) -> str:
    if float(value).is_integer():
        return f"{value:,.0f}"
    return words.significant(value)


def _reached(figure: dict, old: str | None) -> str:
    if figure["goal"] is None:
        return ""
    if old:
        return "no verdict"
    # no verdict must not look like a reached goal
    return {None: "no verdict", True: "yes", False: "no"}[figure["reached"]]
