"""What Snakemake is asked for, out of its command line.

It tells a Snakefile so only after that is read, and the plan is made before.
"""

import os
from pathlib import Path
from typing import Any, NoReturn

from made import MEASURED
from record import RUNS

# Asked for these, Snakemake looks at no job.
WITHOUT_JOBS = ("lint", "list_rules", "list_target_rules", "print_compilation", "unlock")

# In place of a cell: every cell of the plan.
ALL = "all"

FORCING = {"-f", "--force", "-R", "--forcerun"}


def asked(words: list[str]) -> dict[str, Any]:
    """The options by name; none where another program calls Snakemake through its API."""
    from snakemake.cli import get_argument_parser
    from snakemake.exceptions import CliException

    def refuse(message: str) -> NoReturn:
        raise CliException(message)

    parser = get_argument_parser()
    parser.error = refuse
    try:
        return vars(parser.parse_known_args(words)[0])
    except CliException:
        return {}


def looks_at_jobs(options: dict[str, Any]) -> bool:
    """Whether a plan is needed."""
    return not any(options.get(name) for name in WITHOUT_JOBS)


def forced(options: dict[str, Any]) -> list[str]:
    """The cells to measure again whatever their records say: ids, or `all`."""
    again = list(options.get("forcerun") or [])
    # as a module the rules have a prefix
    if options.get("forceall") or any(rule.endswith("measure") for rule in again):
        return [ALL]
    if options.get("force"):
        again += options.get("targets") or []
    inside = (os.path.relpath(name, MEASURED) for name in again)
    return sorted(name for name in inside if not name.startswith(os.pardir))


def with_markers(words: list[str]) -> list[str]:
    """A command line with the marker of a cell in the place of its record, where that is forced.

    A record is no output of a rule: Snakemake would delete it before its cell is measured.
    """
    if not FORCING.intersection(words):
        return words
    return [_marker(word) if word.endswith(".json") else word for word in words]


def _marker(word: str) -> str:
    name = os.path.relpath(word, RUNS)
    return word if name.startswith(os.pardir) else str(MEASURED / Path(name).with_suffix(""))
