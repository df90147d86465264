"""`python -m bench [PART] ...`: prints figures; for bench.sh and faults.sh."""

import sys

from bench import (
    again,
    against_fio,
    asif_templates,
    core_memory,
    database,
    faults,
    fleet_overhead,
    fleet_scale,
    harness,
    images,
    mac,
    planted,
    site,
    statistics,
)
from console import ExitCode, StudyError, run

PARTS = {
    "again": again,
    "asif-templates": asif_templates,
    "database": database,
    "faults": faults,
    "fio": against_fio,
    "fleet": fleet_overhead,
    "fleet-scale": fleet_scale,
    "images": images,
    "mac": mac,
    "memory": core_memory,
    "planted": planted,
    "site": site,
    "statistics": statistics,
}


def main() -> None:
    """Each part by its own arguments."""
    words = sys.argv[1:]
    part = PARTS.get(words[0] if words else "")
    if part:
        part.main(words[1:])
        return
    parts = ", ".join(sorted(PARTS.keys() - {"faults"}))  # which has a script of its own
    if words and words[0][:1].isalpha():
        line = f"there is no part {words[0]}: give a number of rounds, or one of {parts}"
        raise StudyError(ExitCode.BAD_INPUT, line)
    harness.main(words, parts)


run(main)
