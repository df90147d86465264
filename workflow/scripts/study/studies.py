"""The studies of a call, each with its protocols and its matrix.

A study is one article's experiment. `protocols` or `matrix` on the command line replace those of
every chosen study.
"""

from dataclasses import dataclass
from typing import Any

from arguments import did_you_mean
from console import ExitCode, StudyError

# all studies, and no study (database and site from existing records)
ALL = "all"
NONE = "none"

# in a row's `storages`: the machine's own disk, and every other storage
INTERNAL = "internal"
EXTERNAL = "external"


@dataclass(frozen=True)
class Study:
    """One article's experiment.

    protocols: names of the methods. matrix: the rows of formats and encryptions.
    """

    slug: str
    protocols: tuple[str, ...]
    matrix: tuple[dict[str, Any], ...]


def chosen(config: dict[str, Any]) -> list[Study]:
    """The studies in the config, none for `none`. Raises StudyError (bad input) for an unknown
    one."""
    known = config["studies"]
    asked = _asked(config)
    for one in asked:
        if one not in (ALL, NONE, *known):
            names = [ALL, *known, NONE]
            raise StudyError(
                ExitCode.BAD_INPUT,
                f"unknown study '{one}'{did_you_mean(one, names)}: use one of {', '.join(names)}",
            )
    return [
        Study(
            slug,
            tuple(config.get("protocols", study["protocols"])),
            tuple(config.get("matrix", study["matrix"])),
        )
        for slug, study in known.items()
        if ALL in asked or slug in asked
    ]


def in_words(config: dict[str, Any]) -> str:
    """The chosen studies in words."""
    return ", ".join(_asked(config))


def _asked(config: dict[str, Any]) -> list[str]:
    return config["study"] if isinstance(config["study"], list) else [config["study"]]


def storages_of(row: dict[str, Any], there: list[str]) -> list[str]:
    """The slugs of the configured storages that a row is measured on.

    A row whose storages are not configured is measured on all: not everyone has an external disk,
    and the experiment is useful on another one too.
    """
    asked = row.get("storages", there)
    found = [slug for slug in there if slug in asked or (EXTERNAL in asked and slug != INTERNAL)]
    return found or there
