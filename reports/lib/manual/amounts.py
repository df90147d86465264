"""How much each study writes, how long that takes at least, and how often it fills a drive."""

from types import ModuleType

from lib import project, show, tables

LINE = {"study": "Study", "scale": "Scale"}


def written() -> show.Shown:
    """Cells, bytes and times for each scale of all studies, and each study at its article's."""
    study = _amounts()
    heads = LINE | {"cells": "Cells", "written": "Written"}
    heads |= {f"at-{speed}": f"At {speed} GB/s" for speed in study.SPEEDS}
    lines = [
        {
            "study": name,
            "scale": scale,
            "cells": amount.cells,
            "written": study.size(amount.written),
        }
        | {f"at-{speed}": study.duration(amount.seconds(speed)) for speed in study.SPEEDS}
        for name, scale, amount in study.rows()
    ]
    return tables.table(
        lines,
        heads,
        "What one repeat of a study writes, and the least time that it takes",
        numbers=set(heads) - set(LINE),
        name="amounts",
    )


def drives() -> show.Shown:
    """How often the same lines fill a drive of each size."""
    study = _amounts()
    return tables.table(
        [
            {"study": name, "scale": scale}
            | {drive: study.times(amount.drives(size)) for drive, size in study.DRIVES.items()}
            for name, scale, amount in study.rows()
        ],
        LINE | {drive: drive for drive in study.DRIVES},
        "How often one repeat of a study fills a drive of this size",
        numbers=study.DRIVES,
        name="drives",
    )


def _amounts() -> ModuleType:
    """The study's own code: so the tables cannot differ from the plan."""
    return project.code("study.amounts")
