"""What this project found out about itself: the figures that its own runs left in `data/proofs`."""

import json

from lib import project, show, tables, words

FOLDER = "data/proofs"


def shown() -> show.Shown:
    """A table for each part, with the day, the machine and the command."""
    files = sorted((project.ROOT / FOLDER).glob("*.json"))
    if not files:
        return show.text("None was kept yet.")
    return show.together(
        *(_part(file.stem, json.loads(file.read_text(encoding="utf-8"))) for file in files)
    )


def _part(name: str, proof: dict) -> show.Shown:
    rows = [
        {
            "what": figure["what"],
            "value": _value(figure),
            "goal": words.told(figure["goal"], "none"),
            "reached": _reached(figure),
        }
        for figure in proof["figures"]
    ]
    return tables.table(
        rows,
        {"what": "What", "value": "Found", "goal": "Goal", "reached": "Reached"},
        _caption(name, proof),
        numbers=["value"],
        name=f"proof-{name}",
        classes="wide",
        command=proof["command"],
    )


def _caption(name: str, proof: dict) -> str:
    """What the figures are of, when, where and of which version; what else was kept of them."""
    day = proof["measured_utc"].partition("T")[0]
    told = [
        f"{proof['title']}. Found on {day}, {proof['machine']}, version {proof['version']}",
    ]
    if "level" not in proof and any(figure["low"] is not None for figure in proof["figures"]):
        told.append("Judged by earlier rules: in brackets may be a range and not an interval")
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


def _reached(figure: dict) -> str:
    if figure["goal"] is None:
        return ""
    # too noisy to tell: as much as what was missed, it is not to look reached
    return {None: "no verdict", True: "yes", False: "no"}[figure["reached"]]
