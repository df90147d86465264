"""The smallest set of studies that measures given cells again."""

from itertools import combinations

import pandas as pd

from lib import project, protocols, study

# of a study's cell, what makes it the cell of a record; `encryptions: host` is the disk's own
Kind = tuple[object, ...]


def studies(cells: pd.DataFrame, scale: str, storages: list[str]) -> list[str]:
    """The studies that measure these cells at a scale, or as many of them as any studies do.

    The fewest studies, and of those as many the ones with the fewest cells. Empty if no study
    measures any: they are of a matrix from the command line.
    """
    wanted = {_kind(row) for row in cells.to_dict("records")}
    planned = {slug: _planned(slug, scale, storages) for slug in study.settings()["studies"]}
    sets = [chosen for count in range(len(planned) + 1) for chosen in combinations(planned, count)]

    def rank(chosen: tuple[str, ...]) -> tuple[int, int, int]:
        union = set().union(*(planned[slug] for slug in chosen))
        return (-len(union & wanted), len(chosen), len(union))

    return list(min(sets, key=rank))


def _planned(slug: str, scale: str, storages: list[str]) -> set[Kind]:
    """The cells of a study on these storages; the study's own code plans them."""
    plan = project.code("study.cells")
    config = study.settings() | {
        "study": slug,
        "scale": scale,
        "repeats": 1,
        "storage": [{"slug": storage} for storage in storages],
    }
    machine = plan.Machine("host", "release", "none", "apple")
    chosen = project.code("study.studies").chosen(config)
    return set(map(_kind, plan.plan_cells(config, chosen, protocols.all_protocols(), machine)))


def _kind(cell: dict) -> Kind:
    own = cell["driver"] == "native"
    keys = ("protocol", "scale", "storage", "format", "phase")
    return (*(cell[key] for key in keys), own, "host" if own else cell["encryption"])
