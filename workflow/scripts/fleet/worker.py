"""The worker: offers this host to the coordinator as one slot, until it is stopped."""

import asyncio
import errno
import logging
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from distributed import Worker
from distributed.comm import CommClosedError, unparse_host_port

from console import ExitCode, StudyError, say
from fleet import connection, measuring
from fleet.certificates import HostCertificate
from fleet.settings import HEARTBEAT_SECONDS
from lock import held

LOG = logging.getLogger("fleet.worker")
LOCK = Path(".diskbench/fleet/worker.lock")
SCRATCH = Path(".diskbench/fleet/scratch")
# seconds between connection attempts; rare while a measurement is running
ATTEMPT_SECONDS = 0.5
ATTEMPT_AT_WORK_SECONDS = 10.0
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Slot(Worker):
    """Dask's worker without unencrypted ports and frequent heartbeats."""

    _told = 0.0
    once = False

    def dismiss(self, code: int) -> None:
        """Ends the worker with an exit code; replaced by `offer`."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Start no server: it would answer without a certificate."""

    async def heartbeat(self) -> None:
        """Send heartbeats at our own interval instead of the scheduler's."""
        if time.monotonic() - self._told >= HEARTBEAT_SECONDS:
            self._told = time.monotonic()
            await super().heartbeat()


def slot(own: HostCertificate, address: str, scratch: Path) -> Slot:
    """A worker to await, listening on `address`, with one task at a time."""
    return Slot(
        f"tls://{own.place}",
        host=unparse_host_port(address),
        name=own.slug,
        nthreads=1,
        resources={own.slug: 1},
        # none: tasks are few and small, and images in the page cache are not the worker's memory
        memory_limit=0,
        security=own.security,
        local_directory=str(scratch),
    )


async def offer(own: HostCertificate, once: bool = False) -> int:
    """Serve until Ctrl-C or a termination signal, whatever the coordinator does.

    once: also end when the coordinator has no more work for this host in this study, with the exit
    code that it sends. A lost coordinator is waited for in both cases.
    """
    loop = asyncio.get_running_loop()
    ending: asyncio.Future[int] = loop.create_future()

    def end(code: int) -> None:
        if not ending.done():
            ending.set_result(code)

    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            loop.add_signal_handler(number, end, ExitCode.INTERRUPTED)
    LOCK.parent.mkdir(parents=True, exist_ok=True)
    with held(LOCK, "a worker already runs in this folder: a host has one"):
        told = ""
        while not ending.done():
            try:
                address = await asyncio.to_thread(
                    connection.attempt, own.coordinator, own.port, own.security, "worker"
                )
            except connection.RefusedError as refused:
                raise StudyError(
                    ExitCode.BAD_INPUT,
                    f"the coordinator at {own.coordinator} and this host have no valid "
                    # the coordinator reads certificates when it starts
                    f"certificates for each other: {refused}; there, restart the coordinator if it "
                    "was started before this certificate was made; otherwise call `bash "
                    f"workflow/run.sh fleet certificate --revoke {own.slug}`, then the same "
                    "without --revoke, and copy the new one here",
                ) from refused
            except connection.AwayError as away:
                LOG.info("the coordinator cannot be reached: %s", away)
                advice = f"; {away.advice}" if away.advice else ""
                told = _say_once(told, f"waiting for the coordinator at {own.place}{advice}")
                await _pause(ending)
                continue
            try:
                await _serve(own, own.address or address, ending, end if once else None)
            except (OSError, CommClosedError, RuntimeError) as error:
                LOG.info("refused: %r", error)
                told = _say_once(told, not_let_in(own, error))
                await _pause(ending)
                continue
            told = ""
            if not ending.done():
                at_work = "; what is being measured continues" if measuring.current() else ""
                say(f"the connection to the coordinator was lost{at_work}")
                await _pause(ending)
    if measuring.current():
        say("worker stopped: the study here is interrupted; its finished records are kept")
    # a plan, too: it may be building the core
    await asyncio.to_thread(measuring.interrupt)
    return ending.result()


def not_let_in(own: HostCertificate, error: Exception) -> str:
    """The message about a worker that could not start, or was refused by the coordinator."""
    # Dask's message (distributed, Scheduler.add_worker)
    if "name taken" in str(error.__cause__):
        return (
            f"the coordinator at {own.coordinator} already has a worker called {own.slug}: if it "
            "is another machine, .diskbench/fleet/host.certificate is not this host's; "
            "trying again"
        )
    if getattr(error.__cause__, "errno", None) == errno.EADDRNOTAVAIL and own.address:
        return (
            f"this machine has no address {own.address}, which .diskbench/fleet/host.certificate "
            "names: if that is this host's, change its `address`, or set it to null; trying again"
        )
    return f"the coordinator at {own.coordinator} does not answer: trying again"


async def _serve(
    own: HostCertificate,
    address: str,
    ending: asyncio.Future,
    dismiss: Callable[[int], None] | None,
) -> None:
    """Serve until the coordinator disconnects, or this host is stopped or dismissed."""
    worker = slot(own, address, SCRATCH)
    if dismiss:
        worker.once, worker.dismiss = True, dismiss
    try:
        await worker
        say(f"{own.slug} is offered to the coordinator at {own.place}")
        await _first(ending, asyncio.create_task(worker.finished()))
    finally:
        with suppress(OSError, CommClosedError, TimeoutError):
            await worker.close(executor_wait=False, timeout=5)


async def _first(ending: asyncio.Future, other: asyncio.Task) -> None:
    """Wait for one of two tasks; only the second is cancelled."""
    await asyncio.wait((ending, other), return_when=asyncio.FIRST_COMPLETED)
    other.cancel()


async def _pause(ending: asyncio.Future) -> None:
    seconds = ATTEMPT_AT_WORK_SECONDS if measuring.current() else ATTEMPT_SECONDS
    await _first(ending, asyncio.create_task(asyncio.sleep(seconds)))


def _say_once(told: str, line: str) -> str:
    if line != told:
        say(line)
    return line
