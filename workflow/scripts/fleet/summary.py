"""The summary of a fleet's study: measured and missing cells of each host, reasons, and the
command that completes it."""

import shlex
from pathlib import Path

from console import ExitCode
from fleet.config import WAIT_MINUTES
from fleet.progress import Board, Progress, State
from study.summary import Summary, summarise

CALL = ("bash", "workflow/run.sh", "fleet")


def tell(board: Board, runs: Path, config: list[str], no_site: bool, wait_minutes: float) -> int:
    """Print a line for each incomplete host; returns the exit code.

    config, no_site, wait_minutes: the arguments of the study.
    """
    again = command(config, no_site, wait_minutes)
    complete, failed, refused = 0, 0, 0
    for host in board.hosts.values():
        if host.state == State.NOT_ASKED:
            continue
        result = summarise({cell: runs / f"{cell}.json" for cell in host.cells}, runs)
        for cell, reason in result.failed:
            board.tell(f"{host.host}: failed: {cell}: {reason}")
        for cell, reason in result.skipped:
            board.tell(f"{host.host}: skipped: {cell}: {reason}")
        failed += len(result.failed)
        refused += len(host.refused)
        if host.cells and not result.missing and not result.damaged:
            complete += 1
            board.tell(f"{host.host}: complete: {result.lines()[-1 if not result.failed else -2]}")
            if host.refused:
                board.tell(f"{host.host}: {_refused(host, again)}")
        else:
            board.tell(_missing(host, result, again))
    asked = sum(host.state != State.NOT_ASKED for host in board.hosts.values())
    board.tell(f"{complete} of {asked} hosts are complete")
    if failed:
        others = [one for one in config if not one.startswith("retry=")]
        retry = command([*others, "retry=[failed]"], no_site, wait_minutes)
        board.tell(f"to measure the failed cells again: {retry}")
    if refused:
        return ExitCode.DAMAGED_RECORD
    return ExitCode.DONE if complete == asked and not failed else ExitCode.CELL_FAILED


def tell_plans(board: Board, config: list[str]) -> int:
    """Print a line for each host without a plan; returns the exit code."""
    again = shlex.join([*CALL, "plan", *(["--config", *config] if config else [])])
    has_plan = (State.NOT_ASKED, State.PLANNED)
    hosts = [one for one in board.hosts.values() if not one.cells and one.state not in has_plan]
    for host in hosts:
        board.tell(_missing(host, Summary(planned=0), again))
    return ExitCode.CELL_FAILED if hosts else ExitCode.DONE


def command(config: list[str], no_site: bool, wait_minutes: float) -> str:
    """The command that resumes a study with these arguments."""
    words = ["--no-site"] if no_site else []
    if wait_minutes != WAIT_MINUTES:
        words += ["--wait", f"{wait_minutes:g}"]
    if config:
        words += ["--config", *config]
    return shlex.join([*CALL, "run", *words])


def _missing(host: Progress, result: Summary, again: str) -> str:
    count = len(result.missing) + len(result.damaged)
    what = f"{count} of {len(host.cells)} cells missing" if host.cells else "no plan of it"
    why = host.line or host.state.value
    match host.state:
        case State.AWAY:
            do = f"there, call `bash workflow/run.sh fleet worker`; then here: {again}"
        case State.FINISHED if host.refused:
            return f"{host.host}: {what}: {_refused(host, again)}"
        case State.PLANNING:
            do = f"wait for that; then here: {again}"
        case State.STOPPED if why.startswith("interrupted"):
            # nothing is broken, and the study's next step is printed on its host
            why, do = "interrupted", f"to resume, here: {again}"
        case _:
            do = f"fix that; then here: {again}"
    return f"{host.host}: {what}: {why}: {do}"


def _refused(host: Progress, again: str) -> str:
    return (
        f"{len(host.refused)} records were refused: delete those files there, which measures their "
        f"cells again, or restore them; then here: {again}"
    )
