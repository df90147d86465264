"""Records as a Mac would have left them, and what the check finds in a folder of them."""

import copy
from pathlib import Path

from contribution.check import check
from proofs.support import made_up, records

SCHEMA = Path(__file__).parents[2] / "schemas" / "record.schema.json"


def record(minute=0, host="mac-mini-m4-pro", **cell):
    """A record as a Mac would have left it."""
    made = made_up.record("apple", "UDSB", "none", "macos-26.4-25E246", 1)
    made["cell"] |= {"host": host} | cell
    made["host"] |= {"model": "Mac16,11"}
    for sample in made["samples"]:
        sample["elapsed_ns"] = 400_000 + sample["size_bytes"] // 6 + minute
    for step in made["steps"]:
        step["elapsed_ns"] = 1_000_000
    made["started_utc"] = f"2026-05-20T18:{minute:02}:00Z"
    made["finished_utc"] = f"2026-05-20T18:{minute:02}:50Z"
    return made


def again(**cell):
    """What the first good record holds, at another time and under another name."""
    times = {"started_utc": "2026-05-20T19:00:00Z", "finished_utc": "2026-05-20T19:00:50Z"}
    return record(0, **cell) | times


def save(made, folder):
    return records.save(records.signed(made), folder)


def found(folder, runs=None):
    report = check(folder, SCHEMA, runs=runs or folder.parent / "runs")
    return report, {finding.kind for finding in report.findings}


def changed(**keys):
    return lambda made: made | keys


def deep(path, value):
    def change(made):
        made = copy.deepcopy(made)
        *steps, last = path
        place = made
        for step in steps:
            place = place[step]
        place[last] = value
        return made

    return change
