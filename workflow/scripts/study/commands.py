"""What the workflow's rules call, one function a command; each returns its exit code."""

import json
import subprocess
from pathlib import Path
from typing import Any

from console import ExitCode, StudyError, say
from record import RUNS, first_line
from study import core, disks, summary, superseding
from study.planning import make_plan


def plan(config: dict[str, Any], core_binary: Path, plan_file: Path) -> int:
    """Show the plan and let the core refuse it; then set aside the records to measure again."""
    planned = make_plan(config)
    storages = {storage["slug"]: storage["folder"] for storage in planned.study["storage"]}
    _make_own_folders(list(storages.values()))
    _write(plan_file, planned.as_json())
    # the plan is for the person at the terminal, so it joins the messages
    command = [core_binary, "plan", "--plan", plan_file, *planned.refused_conditions()]
    shown = subprocess.run(command, check=False, stdout=2)
    if shown.returncode == ExitCode.DONE:
        # the core has seen that those are there which are measured on
        disks.note(storages, _noted_disks(plan_file))
        for cell in planned.cells:
            if cell in planned.due and (aside := superseding.set_aside(planned.record(cell))):
                say(f"measured again: {cell}; the older record is kept as {aside.name}")
    return shown.returncode


def measure(
    plan_file: Path, cell: str, core_binary: Path, record: Path, log: Path, options: list[str]
) -> int:
    """Measure one cell of the plan that was shown; `options` go to the core as they are."""
    plan = json.loads(plan_file.read_text(encoding="utf-8"))
    names = [planned["record"] for planned in plan["cells"]]
    position = names.index(str(record))
    description = plan["cells"][position]["cell"]
    folders = {storage["slug"]: storage["folder"] for storage in plan["storages"]}
    storage = description["storage"]
    disks.check(storage, folders[storage], _noted_disks(plan_file))
    cell_file = plan_file.parent / "cells" / f"{cell}.json"
    _write(cell_file, description)
    core.measure(
        core_binary,
        {
            "--cell": cell_file,
            "--folder": folders[storage],
            "--record": record,
            "--log": log,
            "--position": position + 1,
            "--planned": len(names),
        },
        options,
    )
    return ExitCode.DONE


def summarise(config: dict[str, Any], database: Path, site: Path) -> int:
    """Say what became of every planned cell, and of every record that could not be loaded."""
    planned = make_plan(config)
    result = summary.summarise({cell: planned.record(cell) for cell in planned.cells})
    for line in result.lines():
        say(line)
    code = tell_refused(database)
    say(f"data: {database}")
    say(f"site: {site}")
    if code or result.damaged:
        return ExitCode.DAMAGED_RECORD
    return ExitCode.CELL_FAILED if result.failed else ExitCode.DONE


def tell_refused(database: Path) -> int:
    """Name every record that could not be loaded, and end with their code if there is any."""
    refused = _refused_records(database)
    for path, reason in refused:
        say(f"refused: {RUNS / path}: {reason}")
    return ExitCode.DAMAGED_RECORD if refused else ExitCode.DONE


def _refused_records(database: Path) -> list[tuple[str, str]]:
    # here, as this takes a quarter of a second that would be added to every cell
    import duckdb

    settings = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    try:
        with duckdb.connect(str(database), read_only=True, config=settings) as connection:
            return connection.execute(
                "select path, reason from refused_record order by path"
            ).fetchall()
    except duckdb.Error as error:
        raise StudyError(
            ExitCode.UNEXPECTED,
            f"{database} cannot be read ({first_line(error)}): "
            "delete it, then call again: it is built anew from the records",
        ) from error


def _noted_disks(plan_file: Path) -> Path:
    return plan_file.with_name("disks.json")


def _make_own_folders(folders: list[str]) -> None:
    """Make our own folder; one that the user names must exist, or a typo fills the wrong disk."""
    for folder in map(Path, folders):
        if folder.parts[:1] == (".diskbench",):
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StudyError(
                    ExitCode.FOLDER_UNUSABLE,
                    f"the folder {folder} cannot be made ({error.strerror}): "
                    "set storage.folder in workflow/config/study.yaml to one that can be written",
                ) from error


def _write(path: Path, document: Any) -> None:
    """Whole or not at all: a reader never sees half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(document, indent=1), encoding="utf-8")
    partial.replace(path)
