"""The request in Snakemake's command line.

A Snakefile gets it from Snakemake only after it is read, but the plan is made before.
"""

import os
from pathlib import Path
from typing import Any, NoReturn

from made import MEASURED
from record import RUNS

# options with which Snakemake evaluates no job
WITHOUT_JOBS = ("lint", "list_rules", "list_target_rules", "print_compilation", "unlock")

# instead of a cell: every cell of the plan
ALL = "all"

FORCING = {"-f", "--force", "-R", "--forcerun"}


def asked(words: list[str]) -> dict[str, Any]:
    """The options by name; empty if Snakemake is called through its API."""
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
    """The cells to measure again despite their records: ids, or `all`."""
    again = list(options.get("forcerun") or [])
    # in a module the rules have a prefix
    if options.get("forceall") or any(rule.endswith("measure") for rule in again):
        return [ALL]
    if options.get("force"):
        again += options.get("targets") or []
    inside = (os.path.relpath(name, MEASURED) for name in again)
    return sorted(name for name in inside if not name.startswith(os.pardir))


def with_markers(words: list[str]) -> list[str]:
    """The command line, with forced records replaced by their cells' markers.

    Records are no outputs of rules: Snakemake would delete them before measuring.
    """
    if not FORCING.intersection(words):
        return words
    return [_marker(word) if word.endswith(".json") else word for word in words]


def _marker(word: str) -> str:
    name = os.path.relpath(word, RUNS)
    return word if name.startswith(os.pardir) else str(MEASURED / Path(name).with_suffix(""))
