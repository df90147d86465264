"""What the coordinator asks of a host, run there by its worker, one at a time.

Arguments and answers are texts, numbers, bytes, lists and mappings alone.
"""

import hashlib
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from distributed import get_worker
from distributed.core import Status

from console import ExitCode, say
from fleet import measuring, version
from places import CORE
from record import RUNS, DamageError
from record_files import content as content_of
from study import machine

TOPIC = "fleet"
LOST = "the coordinator was lost"
# What `run.sh plan` leaves (study/commands.py); a study that is at work goes by another one.
PLAN = Path(".diskbench/shown-plan.json")
AT_WORK = Path(".diskbench/plan.json")
# Of one answer, so that neither side holds a host's whole study: 8 MB, some 150 records.
ANSWER_BYTES = 8_000_000
# How long a study that is told to stop may take to put its images away (study/survivors.py).
STOPPING_SECONDS = 100.0

# The version that this process was started with.
STARTED = version.of(Path())


def introduce() -> dict[str, Any]:
    """Which version is here, whether it is still the one of this process, what this machine would
    be called by its model and chip, and whether its worker is for one study."""
    now = version.of(Path())
    return {
        "version": now.as_json(),
        "is_the_worker_s": now == STARTED,
        "machine": machine.host_slug(),
        "once": get_worker().once,
    }


def plan(words: list[str], have: dict[str, str]) -> dict[str, Any]:
    """What the study comes to on this host, with what was measured before, as `collect` gives it;
    `line` says why not when `code` is not 0."""
    if measuring.current() != words:
        planned = measuring.plan(words, _hearing(), _leaving())
        code, line = planned or (ExitCode.INTERRUPTED.value, LOST)
        if code != ExitCode.DONE:
            return {"code": code, "line": line}
    shown = subprocess.run(
        [CORE, "plan", "--json", "--plan", _plan_file()], capture_output=True, check=False
    )
    told = json.loads(shown.stdout or b"{}")
    planned = json.loads(_plan_file().read_text(encoding="utf-8"))
    return {
        "code": ExitCode.DONE.value,
        "line": "",
        "cells": _cells(planned),
        "due": [_cell(one["record"]) for one in planned["cells"] if one["due"]],
        "seconds": told.get("estimated_seconds", 0),
        "written_bytes": _written(told.get("cells", [])),
        **collect(have, []),
    }


def measure(words: list[str], have: dict[str, str]) -> dict[str, Any]:
    """Measure the study; `line` is its last message. The records come with it, as `collect` gives
    them."""
    ended = measuring.measure(words, _hearing(), _leaving())
    code, line = ended or (ExitCode.INTERRUPTED.value, LOST)
    return {"code": code, "line": line, **collect(have, [])}


def _hearing() -> Callable[[str], None]:
    """Passes lines on to this host's terminal, and those that tell something to the coordinator."""
    worker = get_worker()

    def hear(line: str) -> None:
        measuring.echo(line)
        if line.startswith(measuring.TELLING):
            worker.log_event(TOPIC, {"host": worker.name, "line": line})

    return hear


def _leaving() -> Callable[[], bool]:
    """Says whether the coordinator that asks was lost, so that nobody waits for an answer."""
    worker = get_worker()
    return lambda: worker.status not in (Status.running, Status.paused)


def _plan_file() -> Path:
    """The plan of the study that is at work, else the one that was shown."""
    return AT_WORK if measuring.current() else PLAN


def collect(have: dict[str, str], passed_over: list[str]) -> dict[str, Any]:
    """Records of the planned cells that the coordinator has not, or has otherwise: cell -> bytes.

    have: the sum of each record's file on the coordinator. passed_over: cells that it does not ask
    for. `left` says how many more there are, `unreadable` which cells' files are none of a record,
    and why.
    """
    planned = json.loads(_plan_file().read_text(encoding="utf-8"))
    records: dict[str, bytes] = {}
    unreadable: dict[str, str] = {}
    size_bytes = left = 0
    for cell in _cells(planned):
        path = RUNS / f"{cell}.json"
        if cell in passed_over or not path.exists():
            continue
        try:
            content = content_of(path, RUNS)
        except DamageError as damage:
            unreadable[cell] = str(damage)
            continue
        if have.get(cell) == sum_of(content):
            continue
        size_bytes += len(content)
        if records and size_bytes > ANSWER_BYTES:
            left += 1
        else:
            records[cell] = content
    return {"records": records, "left": left, "unreadable": unreadable}


def tell(line: str) -> None:
    """Say something to whoever looks at this host's terminal."""
    say(line)


def stop() -> None:
    """Have what is measured here end; its task says when it has."""
    measuring.interrupt(wait=False)


def dismiss(code: int) -> None:
    """End the worker here with this exit code."""
    worker = get_worker()
    worker.loop.add_callback(worker.dismiss, code)


def sum_of(content: bytes) -> str:
    """Of a record's file, to see whether both sides have the same."""
    return hashlib.sha256(content).hexdigest()


def _cells(planned: dict[str, Any]) -> list[str]:
    return [_cell(one["record"]) for one in planned["cells"]]


def _cell(record: str) -> str:
    return Path(record).relative_to(RUNS).with_suffix("").as_posix()


def _written(cells: list[dict[str, Any]]) -> dict[str, int]:
    """Bytes that the cells that are due write, by storage."""
    written: dict[str, int] = {}
    for cell in cells:
        if cell["due"]:
            written[cell["storage"]] = written.get(cell["storage"], 0) + cell["bytes_to_write"]
    return written
