"""The plan of a call: every cell in order, and whether it is due."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import voucher
import withdrawn
from console import ExitCode, StudyError
from database import losing
from places import DATABASE
from record import RUNS, cell_id, paths
from record_files import link_on_the_way
from study import machine, records, repeats, studies
from study.asked import ALL
from study.cells import Machine, plan_cells
from study.config import bad_input, checked_study

# Only for the estimated time of a first run: the slower of the articles' two SSDs writes 3.2 GB/s,
# and most machines other than Macs are slower.
ASSUMED_BYTES_PER_SECOND = 1_000_000_000

FITS_NOTHING = r"[^\s\S]"


@dataclass(frozen=True)
class Plan:
    """A study planned for this machine.

    cells: in the order of measuring. due: the ids of those still to measure.
    """

    study: dict[str, Any]
    machine: Machine | None
    cells: dict[str, dict[str, Any]]
    due: frozenset[str]

    def record(self, cell: str) -> Path:
        """The path of a cell's record."""
        return RUNS / f"{cell}.json"

    def priority(self, cell: str) -> int:
        """Snakemake's priority of a cell, highest for the first."""
        return len(self.cells) - list(self.cells).index(cell)

    def due_before(self, cell: str) -> list[str]:
        """The due phase of the same image right before this one, if any."""
        if cell not in self.due:
            return []
        names = list(self.cells)
        before = names[: names.index(cell)][-1:]
        return [name for name in before if name in self.due and _image(name) == _image(cell)]

    def due_pattern(self) -> str:
        """A regular expression that matches exactly the ids of the due cells."""
        return "|".join(re.escape(name) for name in sorted(self.due)) or FITS_NOTHING

    def refused_conditions(self) -> list[str]:
        """The conditions to refuse, as options of `plan` and `run`; empty if all only warn."""
        reactions = self.study["conditions"].items()
        refused = [name.replace("_", "-") for name, reaction in reactions if reaction == "refuse"]
        return ["--refuse", ",".join(refused)] if refused else []

    def run_options(self, cell: str) -> list[str]:
        """Options of the core besides a cell's description, which do not cause re-measuring."""
        slug = self.cells[cell]["storage"]
        storage = next(one for one in self.study["storage"] if one["slug"] == slug)
        description = storage.get("description")
        described = ["--storage-description", description] if description else []
        return self.refused_conditions() + described

    def as_json(self) -> dict[str, Any]:
        """The plan in the format of `diskbench plan`."""
        scale = self.study["scale"]
        smaller = any(cell["scale"] != scale for cell in self.cells.values())
        scale_words = f"{scale} scale{', smaller where its article was' if smaller else ''}"
        rate = records.rate_bytes_per_second(RUNS, self.machine.host)
        return {
            "plan_version": 1,
            "study": f"{studies.in_words(self.study)} on {self.machine.host}, "
            f"{self.machine.release}: {scale_words}; {repeats.in_words(repeats.count(self.study))}",
            "seed": self.study["seed"],
            "assumed_bytes_per_second": rate or ASSUMED_BYTES_PER_SECOND,
            "assumed_from": "this host's records" if rate else "no record of this host yet",
            "storages": [
                {
                    "slug": storage["slug"],
                    "folder": storage["folder"],
                    "earlier": self._earlier(storage["slug"]),
                }
                for storage in self.study["storage"]
            ],
            "records_folder": str(RUNS),
            "cells": [
                {"record": str(self.record(name)), "due": name in self.due, "cell": cell}
                for name, cell in self.cells.items()
            ],
        }

    def _earlier(self, slug: str) -> str | None:
        """A record of a storage, by which the core refuses another disk; a guest's is a setting."""
        if self.machine.guest:
            return None
        folder = RUNS / self.machine.host / self.machine.release
        found = records.of_storage(folder, RUNS, slug, withdrawn.below(RUNS))
        return str(found) if found else None


# used if Snakemake evaluates no job, without reading config or machine
NOTHING = Plan({}, None, {}, frozenset())


def _image(cell: str) -> str:
    return cell.rsplit("/", 1)[0]


def machine_here(study: dict[str, Any]) -> Machine:
    """This machine, with the study's slug."""
    folders = {storage["slug"]: storage["folder"] for storage in study["storage"]}
    return Machine(
        machine.host_slug(study["host"]),
        machine.release_slug(),
        machine.native_encryption(Path(folders.get("internal", "."))),
        machine.image_driver(),
        machine.is_guest(),
    )


def make_plan(config: dict[str, Any], forced: Collection[str] = ()) -> Plan:
    """Check the config and plan the study for this machine. Raises StudyError in one line.

    `forced` cells are due whatever their records say.
    """
    losing.refuse_lost_place(RUNS, DATABASE)
    study = checked_study(config)
    here = machine_here(study)
    cells = {cell_id(cell): cell for cell in plan_cells(study, here)}
    left_out = withdrawn.below(RUNS)
    if cells:
        _refuse_others(here, left_out)
    for name in forced:
        if name not in (ALL, *cells):
            raise bad_input(
                f"{RUNS / name}.json is not the record of a cell of this study: force one that "
                "`bash workflow/run.sh plan` lists, or give its study with --config"
            )
    due = frozenset(
        name
        for name, cell in cells.items()
        if ALL in forced
        or name in forced
        or records.must_measure(
            RUNS / f"{name}.json",
            RUNS,
            cell,
            study["retry"],
            withdrawn=f"{name}.json" in left_out,
        )
    )
    _refuse_links(due)
    return Plan(study, here, cells, due)


def _refuse_others(here: Machine, left_out: Collection[str]) -> None:
    """Raise StudyError (bad input) if another machine's records have this slug and release."""
    folder = RUNS / here.host / here.release
    if paths(folder) and not voucher.is_own(RUNS, here.host, here.release):
        whose = "another sender, whose machine has the same name"
    elif different := records.other_facts(folder, RUNS, machine.facts(), left_out):
        whose = f"another machine ({'; '.join(different)})"
    else:
        return
    raise bad_input(f"{folder} has records of {whose}: add --config host=<another name>")


def _refuse_links(due: Collection[str]) -> None:
    """Raise StudyError (folder unusable) if records would be written through links, unread."""
    for folder in sorted({Path(name).parent for name in due}):
        if link := link_on_the_way(RUNS, folder / "record"):
            raise StudyError(
                ExitCode.FOLDER_UNUSABLE,
                f"{link} is a link, and records behind it are not read: replace it with a folder",
            )
