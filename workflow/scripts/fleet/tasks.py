"""Tasks that the coordinator runs on a host, in its worker, one at a time.

Arguments and answers consist of texts, numbers, bytes, lists and mappings.
"""

import hashlib
import json
import subprocess
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from distributed import get_worker
from distributed.core import Status

from console import ExitCode, echo, say
from fleet import measuring, version
from places import CORE
from record import RUNS, DamageError
from record_files import content as content_of
from study import machine
from study.records import last_result

TOPIC = "fleet"
# of what was neither planned nor measured: a lost coordinator does not hear it
LEFT = "interrupted"
# the file of `run.sh plan` (study/commands.py); a running study uses another one
PLAN = Path(".diskbench/shown-plan.json")
AT_WORK = Path(".diskbench/plan.json")
# bytes of one answer, so that neither side has to keep a whole study in memory: some 150 records
ANSWER_BYTES = 8_000_000

# the version when this process was started
STARTED = version.of(Path())


def introduce() -> dict[str, Any]:
    """Which version is here, whether it is still the one of this process, what this machine would
    be called by its model and chip, and whether its worker is for one study."""
    now = version.of(Path())
    return {
        "version": asdict(now),
        "is_the_worker_s": now == STARTED,
        "machine": machine.host_slug(),
        "once": get_worker().once,
    }


def plan(words: list[str], to_measure: bool) -> dict[str, Any]:
    """The plan of the study on this host; `line` is the error if `code` is not 0.

    to_measure: interrupts a study with other arguments, as `measure` would; else it is waited for.
    """
    if to_measure:
        measuring.interrupt_other(words)
    measuring.wait_for_plan(words, AT_WORK, _leaving())
    if measuring.current() != words:
        planned = measuring.plan(words, _hearing(), _leaving())
        code, line = planned or (ExitCode.INTERRUPTED.value, LEFT)
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
    }


def measure(words: list[str]) -> dict[str, Any]:
    """Measure the study; `line` is its last message."""
    ended = measuring.measure(words, _hearing(), _leaving())
    code, line = ended or (ExitCode.INTERRUPTED.value, LEFT)
    return {"code": code, "line": line}


def _hearing() -> Callable[[str], None]:
    """A callback: prints lines on this host, and forwards important ones to the coordinator."""
    worker = get_worker()

    def hear(line: str) -> None:
        # on the host's own terminal, as if the study had been started there
        echo(line)
        if line.startswith(measuring.TELLING):
            worker.log_event(TOPIC, {"host": worker.name, "line": line})

    return hear


def _leaving() -> Callable[[], bool]:
    """A callback: whether the asking coordinator disconnected."""
    worker = get_worker()
    return lambda: worker.status != Status.running


def _plan_file() -> Path:
    """The plan of the running study, else the shown one."""
    return AT_WORK if measuring.current() else PLAN


def collect(have: dict[str, str], passed_over: list[str]) -> dict[str, Any]:
    """Records of planned cells that the coordinator lacks or has in another version: cell -> bytes.

    Where a measured cell failed when it was measured again, the failed result follows its record in
    the next answer.

    have: the checksum of each cell's last result on the coordinator. passed_over: cells to skip. In
    the answer, `left` is the number of further records, `unreadable` the cells with unusable files
    and the reasons.
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
            last = content_of(last_result(path, RUNS), RUNS)
        except DamageError as damage:
            unreadable[cell] = str(damage)
            continue
        known = have.get(cell)
        if known == sum_of(last):
            continue
        if known == sum_of(content):
            content = last
        elif content != last:
            left += 1
        size_bytes += len(content)
        if records and size_bytes > ANSWER_BYTES:
            left += 1
        else:
            records[cell] = content
    return {"records": records, "left": left, "unreadable": unreadable}


def tell(line: str) -> None:
    """Print a line on this host's terminal."""
    say(line)


def stop() -> None:
    """Interrupt the measurement here; its own task returns when it has ended."""
    measuring.interrupt(wait=False)


def dismiss(code: int) -> None:
    """Exit the worker with this code."""
    worker = get_worker()
    worker.loop.add_callback(worker.dismiss, code)


def sum_of(content: bytes) -> str:
    """The checksum of a record's file, to compare both sides."""
    return hashlib.sha256(content).hexdigest()


def _cells(planned: dict[str, Any]) -> list[str]:
    return [_cell(one["record"]) for one in planned["cells"]]


def _cell(record: str) -> str:
    return Path(record).relative_to(RUNS).with_suffix("").as_posix()


def _written(cells: list[dict[str, Any]]) -> dict[str, int]:
    """Bytes that due cells write, by storage."""
    written: dict[str, int] = {}
    for cell in cells:
        if cell["due"]:
            written[cell["storage"]] = written.get(cell["storage"], 0) + cell["bytes_to_write"]
    return written
