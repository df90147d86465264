"""A session between the coordinator and one host, from connecting to the last record."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from console import ExitCode, StudyError
from fleet import connection, tasks, version
from fleet.filing import Sent
from fleet.progress import State

if TYPE_CHECKING:
    from fleet.coordinator import Run

LOG = logging.getLogger("fleet.session")
# exit codes after which a host has no more records
MEASURED = (ExitCode.DONE, ExitCode.CELL_FAILED, ExitCode.DAMAGED_RECORD)

Ask = Callable[..., Awaitable[Any]]


class GoneError(Exception):
    """The host's worker disconnected, or does not answer; the text is what to do, if known."""


class TaskError(Exception):
    """A task failed on the host, for this reason."""


class Session:
    """The part of a run that is one host's."""

    def __init__(self, run: "Run", slug: str):
        self.run = run
        self.slug = slug
        self.progress = run.board.hosts[slug]
        # cell -> checksum of the file of its last result on the coordinator
        self.have: dict[str, str] = {}
        self.once = False  # whether the worker was started with --once

    async def go(self, address: str, ask: Ask) -> None:
        """Introduce, plan, measure, collect. `ask` runs a task; raises GoneError, TaskError."""
        try:
            state, line = await self._work(address, ask)
        except TaskError as failed:
            log = f".diskbench/logs/fleet.log on {self.slug} has the details"
            state, line = State.STOPPED, f"{failed}: {log}"
        if self.once and state != State.PLANNED:
            code = ExitCode.DONE if state == State.FINISHED else ExitCode.CELL_FAILED
            with suppress(GoneError, TaskError):  # it may disconnect before its answer arrives
                await ask(tasks.dismiss, code.value)
        # last, since the coordinator may end as soon as every host's state is final
        self._set(state, line)

    async def _work(self, address: str, ask: Ask) -> tuple[State, str]:
        """Everything but the end; returns the final state of the host and the reason."""
        if line := await self._stranger(address, ask):
            return State.REFUSED, line
        self._set(State.PLANNING)
        self.have = await asyncio.to_thread(self.run.archive.sums, self.slug)
        if (refusal := await self._plan(ask)) is not None:
            return State.STOPPED, refusal
        if not await self.run.planned(self.slug):
            return State.PLANNED, ""
        await self._take_in(ask)
        if self.run.stopping:
            return State.STOPPED, "interrupted on the coordinator"
        # the host's plan knows which records count; having one of each cell says nothing
        if not self.progress.due:
            return State.FINISHED, self._result()
        self._set(State.MEASURING)
        ended = await ask(tasks.measure, self.run.words[self.slug])
        self._set(State.COLLECTING)
        await self._take_in(ask)
        if ended["code"] in MEASURED:
            return State.FINISHED, self._result()
        return State.STOPPED, ended["line"] or f"exit code {ended['code']}"

    async def _stranger(self, address: str, ask: Ask) -> str | None:
        """Why this host must not be measured, if so; also printed there."""
        name, _, port = address.rpartition("://")[2].rpartition(":")
        try:
            security = self.run.store.security_for(self.slug)
            await asyncio.to_thread(
                connection.attempt, name.strip("[]"), int(port), security, "scheduler"
            )
        except connection.AwayError as away:
            raise GoneError(away.advice) from away
        except StudyError as missing:
            return missing.line
        except connection.RefusedError as refused:
            return f"who answers at {address} is not {self.slug}: {refused}"
        told = await ask(tasks.introduce)
        self.once = told["once"]
        line = version.difference(self.run.here, version.Version(**told["version"]))
        if line is None and not told["is_the_worker_s"]:
            line = "its files changed since its worker was started: start the worker again"
        if line:
            await ask(tasks.tell, f"the coordinator does not measure here: {line}")
        elif told["machine"] in self.run.fleet.hosts and not self.slug.startswith(told["machine"]):
            # only a note: hosts may have any slug, for example two of one model
            doubt = f"it is a {told['machine']}, and fleet.yaml lists another host of that name"
            self.run.board.tell(f"{self.slug}: {doubt}: were their certificates swapped?")
            await ask(tasks.tell, f"the coordinator takes this for {self.slug}: {doubt}")
        return line

    async def _plan(self, ask: Ask) -> str | None:
        """Plan on the host; returns the error, if it cannot."""
        planned = await ask(tasks.plan, self.run.words[self.slug], not self.run.only_plan)
        if planned["code"] != ExitCode.DONE:
            return planned["line"]
        progress = self.progress
        progress.cells = planned["cells"]
        progress.due = len(planned["due"])
        progress.bytes_to_write = planned["written_bytes"]
        progress.seconds = planned["seconds"]
        return None

    async def _take_in(self, ask: Ask) -> None:
        """File what the host has and the coordinator lacks; each refused record is named once."""
        passed_over: list[str] = []
        left = 1
        while left:
            async with self.run.sending:
                answer = await ask(tasks.collect, self.have, passed_over)
                sent = [Sent(self.slug, cell, text) for cell, text in answer["records"].items()]
                filed, refused = await self.run.file(sent) if sent else ([], [])
            left = answer["left"]
            for cell, reason in answer["unreadable"].items():
                self._refuse(cell, reason)
            self.progress.filed += len(filed)
            self.have |= {one.cell: tasks.sum_of(one.content) for one in filed}
            for one in filed:
                self.progress.refused.pop(one.cell, None)
            for one in refused:
                passed_over.append(one.cell)
                self._refuse(one.cell, one.reason)

    def _refuse(self, cell: str, reason: str) -> None:
        if self.progress.refused.get(cell) != reason:
            self.progress.refused[cell] = reason
            self.run.board.tell(f"{self.slug}: refused: {cell}: {reason}")

    def _result(self) -> str:
        return f"{self.progress.filed} records filed" if self.progress.filed else "nothing was due"

    def _set(self, state: State, line: str = "") -> None:
        self.run.board.set(self.slug, state, line)
