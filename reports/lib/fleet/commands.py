"""The commands that complete what is due, derived from its cells and from `study.yaml`.

A study of an article whose matrix has all of them is named; else the matrix is written out. Either
leaves alone what has a record.
"""

from dataclasses import dataclass, field

import pandas as pd

from lib import project, protocols, runs, show, tables, words
from lib.fleet import standing

STUDY = "workflow/config/study.yaml"
FLEET = "bash workflow/run.sh fleet run"
INTERNAL = "internal"  # the storage of `study.yaml` as shipped
OWN = "host"  # the word of a matrix for what the machine's own disk is encrypted with
RETRY = "'retry=[failed]'"


@dataclass
class Completing:
    """What to say behind `--config`, and what that completes: cells by state, on which hosts.

    `studies` are slugs, or `matrix` stands for them; `rest` is scale, repeats and so on.
    """

    studies: tuple[str, ...]
    matrix: str
    rest: str
    storage: str
    cells: dict[str, int] = field(default_factory=dict)
    hosts: dict[str, None] = field(default_factory=dict)

    @property
    def config(self) -> str:
        """The settings, quoted for every shell; a host's storages stand in `fleet.yaml`."""
        several = len(self.studies) > 1
        named = (
            f"'study=[{','.join(self.studies)}]'" if several else f"study={''.join(self.studies)}"
        )
        return f"{named if self.studies else self.matrix} {self.rest}"

    @property
    def elsewhere(self) -> bool:
        """Whether it is on another storage than that of `study.yaml`."""
        return self.storage != INTERNAL

    @property
    def own_config(self) -> str:
        """The same on a host itself."""
        place = f" 'storage=[{{slug: {self.storage}, folder: FOLDER}}]'" if self.elsewhere else ""
        return f"{self.config}{place}"


def completing(rows: pd.DataFrame) -> list[Completing]:
    """Every config that something due needs, the one that completes most first."""
    found: dict[tuple, Completing] = {}
    now = rows[rows["newest"] & rows["state"].isin([*standing.DUE, "failed"])]
    now = now.assign(retry=now["state"] == "failed")
    alike = ["system", "scale", "storage", "protocol", "retry"]
    for (_, _, storage, _, _), part in now.groupby(alike, sort=False):
        of_hosts = [(_study(one), one) for _, one in part.groupby("host", sort=False)]
        # what no study has goes into one matrix, for all hosts that need some of it
        odd = [one for study, one in of_hosts if study is None]
        shared = pd.concat(odd) if odd else None
        for study, one in of_hosts:
            what = ((study,), "", _rest(one)) if study else ((), _matrix(shared), _rest(shared))
            _add(found.setdefault((*what, storage), Completing(*what, storage)), one)
    same: dict[tuple, list[Completing]] = {}
    for one in found.values():
        same.setdefault((one.matrix, one.rest, one.storage, tuple(one.hosts)), []).append(one)
    together = map(_together, same.values())
    return sorted(together, key=lambda one: (-sum(one.cells.values()), one.own_config))


def _add(one: Completing, part: pd.DataFrame) -> None:
    """Note which cells of a host it completes."""
    first = part.iloc[0]
    one.hosts[standing.host(first["host"], first["stands_in"])] = None
    for state, count in part["state"].value_counts().items():
        one.cells[state] = one.cells.get(state, 0) + int(count)


def _together(several: list[Completing]) -> Completing:
    """Studies that the very same hosts need, with the same settings, in one call."""
    first, *others = several
    for one in others:
        first.studies += one.studies
        for state, count in one.cells.items():
            first.cells[state] = first.cells.get(state, 0) + count
    return first


def text(rows: pd.DataFrame) -> show.Shown:
    """How the commands are meant."""
    found = completing(rows)
    if rows.empty:
        return show.text("No records yet.")
    if not found:
        return show.text("Nothing is due.")
    said = [
        "A command measures what has no record yet and leaves the rest alone, so it can be run "
        "again, also on hosts that are complete. The coordinator asks every host of the fleet.",
        "On a host that you named with `host=`, add the same `host=` again.",
    ]
    if any(one.elsewhere for one in found):
        said.append(
            "`FOLDER` is the folder of that storage on the host; no record contains it. For the "
            "coordinator it is set in `workflow/config/fleet.yaml`."
        )
    return show.text(" ".join(said))


def shown(rows: pd.DataFrame) -> show.Shown | None:
    """The commands in a table; nothing where nothing is due."""
    found = completing(rows)
    if not found:
        return None
    return tables.table(
        [
            {
                "command": tables.with_small(
                    tables.code(f"`{FLEET} --config {one.config}`"),
                    tables.code(f"on a host itself: `{runs.RUN} --config {one.own_config}`"),
                ),
                "hosts": standing.named(list(one.hosts)),
                "cells": tables.with_small(
                    standing.told(one.cells),
                    f"on {words.name(words.STORAGES, one.storage)}" if one.elsewhere else "",
                ),
            }
            for one in found
        ],
        {"command": "Command", "hosts": "Hosts", "cells": "Cells"},
        "What completes it, from one coordinator for all hosts, or on each by itself",
        name="completing",
        classes="wide",
        source="""
            select
                scale, storage, protocol, host, state, count(*) as cells, max(repeat) as repeats,
                list(distinct concat_ws(' ', driver, format, encryption, band_bytes)) as images
            from host_cell
            where newest and state in ('out of date', 'missing', 'failed')
            group by all
            order by all
        """,
    )


def _rest(part: pd.DataFrame) -> str:
    """What `--config` has to say of these cells beside their study."""
    first = part.iloc[0]
    repeats = int(part["repeat"].max())
    settings = [f"scale={first['scale']}"]
    settings += [f"repeats={repeats}"] if repeats > 1 else []
    return " ".join([*settings, RETRY] if first["retry"] else settings)


def _studies() -> dict[str, dict]:
    return project.document(STUDY)["studies"]


def _study(part: pd.DataFrame) -> str | None:
    """The study with all of these cells and the least beside them; None where none has."""
    wanted = set(map(_asked, part.to_dict("records")))
    protocol, macos = part["protocol"].iloc[0], part["system"].iloc[0] == "macos"
    having = [
        (len(study["protocols"]), len(study["matrix"]), slug)
        for slug, study in _studies().items()
        if protocol in study["protocols"] and wanted <= _has(study, protocol, macos)
    ]
    return min(having)[2] if having else None


# driver, format, encryption, size of bands or blocks, phase
Asked = tuple[str, str, str, int | None, str]


def _asked(row: dict) -> Asked:
    """A cell as a matrix asks for it."""
    own = row["driver"] == "native"
    bands = None if words.missing(row["band_bytes"]) else int(row["band_bytes"])
    return (row["driver"], row["format"], OWN if own else row["encryption"], bands, row["phase"])


def _has(study: dict, protocol: str, macos: bool) -> set[Asked]:
    """The cells that a study has of a protocol."""
    drivers = {"auto": "apple" if macos else "portable"}
    return {
        (drivers.get(row["driver"], row["driver"]), form, code, _size(row), phase)
        for row in study["matrix"]
        if protocol in row.get("protocols", study["protocols"])
        for form in row["formats"]
        for code in row["encryptions"]
        for phase in row.get("phases", _phases(protocol))
    }


def _size(row: dict) -> int | None:
    return row.get("band_bytes", row.get("block_bytes"))


def _phases(protocol: str) -> list[str]:
    """The phases of a protocol in their order; none where this version has no such protocol."""
    found = protocols.all_protocols().get(protocol)
    return [phase["phase"] for phase in found["phases"]] if found else []


def _matrix(part: pd.DataFrame) -> str:
    """The settings for a matrix with these cells and no image beside them."""
    images: dict[tuple, set[str]] = {}
    for driver, form, code, bands, phase in map(_asked, part.to_dict("records")):
        images.setdefault((driver, form, code, bands), set()).add(phase)
    phases = _phases(part["protocol"].iloc[0])
    alike: dict[tuple, list[str]] = {}
    for (driver, form, code, bands), due in images.items():
        # a phase needs all those before it
        last = max((phases.index(phase) for phase in due if phase in phases), default=-1)
        first = tuple(phases[: last + 1]) if last + 1 < len(phases) else ()
        key = "block_bytes" if form == "ASIF" else "band_bytes"
        size = f"{key}: {bands}" if bands else None
        alike.setdefault((driver, code, size, first), []).append(form)
    rows = [
        ", ".join(
            [
                f"driver: {driver}",
                f"formats: [{', '.join(forms)}]",
                f"encryptions: [{code}]",
                *([size] if size else []),
                *([f"phases: [{', '.join(first)}]"] if first else []),
            ]
        )
        for (driver, code, size, first), forms in alike.items()
    ]
    matrix = ", ".join(f"{{{row}}}" for row in rows)
    return f"'matrix=[{matrix}]' 'protocols=[{part['protocol'].iloc[0]}]'"
