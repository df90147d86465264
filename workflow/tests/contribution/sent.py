"""Records as from a Mac, and the findings of the check."""

import copy
from datetime import datetime
from pathlib import Path

from contribution.check import check
from proofs.support import bulk
from proofs.support.records import save as save

SCHEMA = Path(__file__).parents[2] / "schemas" / "record.schema.json"


def record(minute=0, host="mac-mini-m4-pro", **cell):
    """A record as a Mac would have left it."""
    return bulk.of_mac(host, datetime(2026, 5, 20, 18, minute), **cell)


def found(folder, runs=None):
    report = check(folder, runs or folder.parent / "runs")
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
