"""The commands of the workflow's rules, and the messages at the end of a call."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import durable
from console import ExitCode, StudyError, one_line, say
from made import MEASURED
from places import DATABASE
from record import RUNS, DamageError, first_line, read
from study import core, disks, repeats, summary
from study.planning import Plan, make_plan

# the last plans: to show, and to measure by
SHOWN = Path(".diskbench/shown-plan.json")
PLAN = Path(".diskbench/plan.json")
DISKS = Path(".diskbench/disks.json")

# the targets that measure, and those of them that load records
PARTS = {"records", "database", "site"}
LOADING = PARTS - {"records"}

# printed refused records; a log has all
MOST_LINES = 12
FIRST_LINES = 10
REFUSED = Path(".diskbench/logs/refused.txt")


def plan(config: dict[str, Any], core_binary: Path, forced: list[str]) -> int:
    """Show the plan, or let the core refuse it; does not affect a running study."""
    planned = make_plan(config, forced)
    code = _show(planned, core_binary, SHOWN)
    if code == ExitCode.DONE:
        _tell(_damaged(planned))
    return code


def prepare(config: dict[str, Any], core_binary: Path, forced: list[str]) -> int:
    """Show the plan, and save it for measuring."""
    planned = make_plan(config, forced)
    code = _show(planned, core_binary, PLAN)
    if code == ExitCode.DONE:
        # the core has checked the storages that are needed
        disks.note(_folders(planned.study["storage"]), DISKS)
    return code


def _show(planned: Plan, core_binary: Path, plan_file: Path) -> int:
    for folder in map(Path, _folders(planned.study["storage"]).values()):
        # the user's must exist, or a typo would fill the wrong disk
        if folder.parts[:1] == (".diskbench",):
            folder.mkdir(parents=True, exist_ok=True)
    durable.write(plan_file, json.dumps(planned.as_json(), indent=1))
    # print the plan on stderr, like other messages
    command = [core_binary, "plan", "--plan", plan_file, *planned.refused_conditions()]
    code = subprocess.run(command, check=False, stdout=2).returncode
    older = sum(planned.record(cell).exists() for cell in planned.due)
    if code == ExitCode.DONE and older:
        say(
            f"{older} of the cells to measure {'has' if older == 1 else 'have'} an older record: "
            "it stays until the new one is written, and is kept beside it then"
        )
    return code


def _damaged(planned: Plan) -> list[str]:
    """A line for each record file that prevents a cell from being measured."""
    # imported here: it takes a tenth of a second, which every cell would pay
    from database.records import refusal

    lines = []
    for path in (planned.record(cell) for cell in planned.cells if cell not in planned.due):
        try:
            read(path, RUNS)
        except DamageError as damage:
            lines.append(f"refused: {path}: {refusal(path.name, damage).reason}")
    return lines


def measure(cell: str, core_binary: Path, log: Path, options: list[str]) -> int:
    """Measure one cell of the saved plan; `options` are passed to the core."""
    plan = json.loads(PLAN.read_text(encoding="utf-8"))
    record = RUNS / f"{cell}.json"
    names = [planned["record"] for planned in plan["cells"]]
    position = names.index(str(record))
    description = plan["cells"][position]["cell"]
    folders = _folders(plan["storages"])
    storage = description["storage"]
    disks.check(storage, folders[storage], DISKS)
    cell_file = Path(".diskbench/cells") / f"{cell}.json"
    durable.write(cell_file, json.dumps(description, indent=1))
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


def _folders(storages: list[dict[str, str]]) -> dict[str, str]:
    return {storage["slug"]: storage["folder"] for storage in storages}


def summarise(config: dict[str, Any], database: Path, site: Path, file: Path) -> int:
    """Print the result of every planned cell, and every refused record."""
    planned = make_plan(config)
    result = summary.summarise({cell: planned.record(cell) for cell in planned.cells}, RUNS)
    lines = result.lines()
    if planned.cells and repeats.count(planned.study) < repeats.FOR_VERDICTS:
        lines.append(repeats.in_words(repeats.count(planned.study)))
    places = [f"data: {database}", f"site: {site}"]
    for line in lines:
        say(line)
    code = tell_refused(database)
    for line in places:
        say(line)
    file.write_text("".join(f"{one_line(line)}\n" for line in lines + places), encoding="utf-8")
    if code or result.damaged:
        return ExitCode.DAMAGED_RECORD
    return ExitCode.CELL_FAILED if result.failed else ExitCode.DONE


# state of this call of Snakemake, set when the Snakefile is read
_call: tuple[Plan, list[str]] | None = None


def begin(planned: Plan, targets: list[str]) -> None:
    """Save plan and targets of this call for `conclude`."""
    global _call
    _call = planned, targets


def conclude() -> int:
    """Print the failures of a call for a part of the study, even if nothing was to be done.

    Returns its exit code. A call for the whole study prints a summary instead.
    """
    planned, targets = _call or (None, [])
    if planned is None or set(targets) <= {"plan"}:
        return ExitCode.DONE
    code = tell_refused(DATABASE) if LOADING.intersection(targets) else ExitCode.DONE
    forced = {os.path.relpath(target, MEASURED) for target in targets}
    part = PARTS.intersection(targets)
    cells = [cell for cell in planned.cells if part or cell in forced]
    result = summary.summarise({cell: planned.record(cell) for cell in cells}, RUNS)
    if result.damaged and not code:
        _tell(_damaged(planned))
        code = ExitCode.DAMAGED_RECORD
    for line in result.failures():
        say(line)
    return code or (ExitCode.CELL_FAILED if result.failed else ExitCode.DONE)


def tell_refused(database: Path) -> int:
    """Name refused records, and exit with their code if there are any."""
    refused = _refused_records(database)
    _tell([f"refused: {RUNS / path}: {reason}" for path, reason in refused])
    return ExitCode.DAMAGED_RECORD if refused else ExitCode.DONE


def _tell(lines: list[str]) -> None:
    """Print all of them if few; else the first, and the path of the list."""
    if len(lines) > MOST_LINES:
        REFUSED.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(f"{one_line(line)}\n" for line in lines)
        REFUSED.write_text(text, encoding="utf-8")
        more = f"refused: {len(lines) - FIRST_LINES} more; all {len(lines)} are listed in {REFUSED}"
        lines = [*lines[:FIRST_LINES], more]
    for line in lines:
        say(line)


def _refused_records(database: Path) -> list[tuple[str, str]]:
    # imported here: it takes a quarter of a second, which every cell would pay
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
            "delete it, then run again: it is built again from the records",
        ) from error
