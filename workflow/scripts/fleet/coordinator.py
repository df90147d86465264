"""The coordinator: Dask's scheduler and a concurrent session for each host."""

import asyncio
import logging
import resource
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from distributed import Client, Future
from distributed.comm import CommClosedError, unparse_host_port
from distributed.scheduler import KilledWorker

from console import one_line
from fleet import scheduler, tasks
from fleet.certificates import CALL, CertificateStore
from fleet.config import Fleet
from fleet.filing import Archive, Refusal, Sent
from fleet.progress import ENDED, Board, State
from fleet.session import GoneError, Session, TaskError
from fleet.version import Version

LOG = logging.getLogger("fleet.coordinator")
# seconds between the first host's plan and showing the plan of all
GATHER_SECONDS = 30.0
# open files and connections: macOS's limit per process (OPEN_MAX, sys/syslimits.h)
FILES = 10_240
# seconds before retrying a connected host that did not answer
AGAIN_SECONDS = 2.0
# hosts that send records at once: the records of each are in memory (at most tasks.ANSWER_BYTES),
# and one process checks those that arrive together
SENDING = 32
# seconds between two checks whether all is done
LOOK_SECONDS = 0.2


def raise_limit_of_files() -> None:
    """Raise the limit of open files: each host needs some, and macOS's default is 256."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class Presence:
    """The addresses of connected workers by host."""

    def __init__(self, hosts: list[str]):
        self.addresses: dict[str, str] = {}
        # since when an absent host has not answered
        self.since = dict.fromkeys(hosts, time.monotonic())
        # one event per host: a thousand sessions need not wake up for every other one
        self._changed = {name: asyncio.Event() for name in hosts}

    def came(self, name: str, address: str) -> None:
        """A worker connected."""
        self.addresses[name] = address
        self._tell(name)

    def went(self, address: str) -> None:
        """A worker disconnected."""
        for name in [name for name, one in self.addresses.items() if one == address]:
            del self.addresses[name]
            self._tell(name)

    async def wait(self, name: str, other_than: str | None) -> str:
        """Wait for a host's worker with another address than this; returns its address."""
        while self.addresses.get(name) in (None, other_than):
            await self._changed[name].wait()
        return self.addresses[name]

    async def gone(self, name: str, address: str) -> None:
        """Wait until this worker has disconnected."""
        while self.addresses.get(name) == address:
            await self._changed[name].wait()

    def _tell(self, name: str) -> None:
        self._changed[name].set()
        self._changed[name] = asyncio.Event()


class Run:
    """One call of `run.sh fleet run` or `plan`."""

    def __init__(
        self,
        fleet: Fleet,
        words: dict[str, list[str]],
        store: CertificateStore,
        board: Board,
        archive: Archive,
        here: Version,
        only_plan: bool = False,
    ):
        self.fleet = fleet
        self.words = words
        self.store = store
        self.board = board
        self.archive = archive
        self.here = here
        self.only_plan = only_plan
        self.stopping = False
        self.measured: set[str] = set()  # hosts whose plan is there
        self.new_plan = asyncio.Event()
        self.begun = asyncio.Event()
        self.sending = asyncio.Semaphore(SENDING)
        self.filing: asyncio.Queue[tuple[list[Sent], asyncio.Future]] = asyncio.Queue()

    async def go(self, wait_seconds: float) -> None:
        """Run until every host is done or absent for `wait_seconds`."""
        asked = [slug for slug, words in self.words.items() if words]
        for slug in set(self.words) - set(asked):
            self.board.set(slug, State.NOT_ASKED, "fleet.yaml lists other studies for it")
        raise_limit_of_files()
        self.presence = Presence(asked)
        arrivals = scheduler.Arrivals(self._came, self.presence.went)
        self.scheduler = scheduler.scheduler(self.fleet.coordinator, self.store, arrivals)
        try:
            await self.scheduler
        except RuntimeError as error:
            if isinstance(error.__cause__, OSError):
                raise scheduler.not_here(self.fleet.coordinator, error.__cause__) from error
            raise
        self._tell_where(wait_seconds)
        for slug in asked:
            if not self.store.trusts(slug):
                self.board.set(slug, State.REFUSED, f"it has no certificate: here, call `{CALL}`")
            elif line := self.store.elsewhere(slug, self.fleet.coordinator):
                do = f"call `{CALL}`, and copy the new one"
                self.board.set(slug, State.AWAY, f"{line}: {do}")
        async with (
            self.scheduler,
            Client(
                scheduler.own_address(self.scheduler),
                asynchronous=True,
                security=self.store.security,
            ) as self.client,
        ):
            self.client.subscribe_topic(tasks.TOPIC, self._heard)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                if signal.getsignal(number) != signal.SIG_IGN:
                    asyncio.get_running_loop().add_signal_handler(number, self._interrupt)
            jobs = [asyncio.create_task(self._attend(slug)) for slug in asked]
            jobs += [asyncio.create_task(self._file()), asyncio.create_task(self._show_plan())]
            try:
                await self._until_done(jobs, asked, wait_seconds)
            finally:
                for job in jobs:
                    job.cancel()
                await asyncio.gather(*jobs, return_exceptions=True)
                self.client.unsubscribe_topic(tasks.TOPIC)

    async def planned(self, host: str) -> bool:
        """Report a host's plan; returns, after all plans are shown, whether to measure."""
        if self.begun.is_set() and not self.only_plan:
            one = self.board.hosts[host]
            self.board.tell(f"{host}: {one.due} of {len(one.cells)} cells to measure")
        self.measured.add(host)
        self.new_plan.set()
        await self.begun.wait()
        return not self.only_plan

    def _tell_where(self, wait_seconds: float) -> None:
        hosts = ", ".join(slug for slug, words in self.words.items() if words)
        here = self.fleet.coordinator
        self.board.tell(
            f"the coordinator listens at {unparse_host_port(here.address, here.port)} for {hosts}: "
            "`bash workflow/run.sh fleet worker` offers a host; the coordinator waits "
            f"{wait_seconds / 60:g} min for the others"
        )

    async def _until_done(
        self, jobs: list[asyncio.Task], asked: list[str], wait_seconds: float
    ) -> None:
        while True:
            for job in jobs:
                if job.done() and not job.cancelled() and job.exception():
                    raise job.exception()
            if self.only_plan and self.begun.is_set():
                return
            left = [slug for slug in asked if self.board.hosts[slug].state not in ENDED]
            now = time.monotonic()
            away = [
                slug
                for slug in left
                if self.board.hosts[slug].state == State.AWAY
                and now - self.presence.since[slug] > wait_seconds
            ]
            if len(left) == len(away):
                return
            # the end of a host's session is noticed at once
            going = [job for job in jobs if not job.done()]
            await asyncio.wait(going, timeout=LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED)

    async def _attend(self, slug: str) -> None:
        """Serve one host whenever it connects, until all is done."""
        address = None
        session = Session(self, slug)
        while True:
            # retry a refused or stopped host when its worker was restarted
            address = await self.presence.wait(slug, address)
            try:
                await session.go(address, self._asking(slug, address))
            except GoneError as gone:
                if not self.stopping:
                    self._set_away(slug, str(gone))
                if self.presence.addresses.get(slug) == address:
                    # it is still connected, and was only too slow to answer
                    await asyncio.sleep(AGAIN_SECONDS)
                address = None
            if self.board.hosts[slug].state == State.FINISHED or self.stopping:
                if self.board.hosts[slug].state not in ENDED:
                    self.board.set(slug, State.STOPPED, "interrupted on the coordinator")
                return

    def _set_away(self, slug: str, advice: str) -> None:
        advice = advice or "there, .diskbench/logs/fleet.log has the details"
        line = f"its worker connects and does not answer ({advice})"
        if self.board.hosts[slug].state != State.AWAY:
            self.presence.since[slug] = time.monotonic()
            line = "its worker is disconnected; unless it was stopped, it continues to measure"
        self.board.set(slug, State.AWAY, line)

    def _asking(self, slug: str, address: str) -> Callable[..., Any]:
        async def ask(task: Callable[..., Any], *arguments: Any) -> Any:
            future: Future = self.client.submit(
                task,
                *arguments,
                key=f"{task.__name__}-{slug}-{time.time_ns()}",
                workers=[address],
                resources={slug: 1},
                pure=False,
            )
            answer = asyncio.ensure_future(future.result())
            gone = asyncio.ensure_future(self.presence.gone(slug, address))
            try:
                await asyncio.wait((answer, gone), return_when=asyncio.FIRST_COMPLETED)
                if answer.done():
                    return answer.result()
            except (KilledWorker, CommClosedError, TimeoutError, asyncio.CancelledError) as error:
                if isinstance(error, asyncio.CancelledError) and not answer.cancelled():
                    raise
                LOG.info("%s: %r", slug, error)
                raise GoneError from error
            except Exception as error:
                LOG.info("%s: %r", slug, error)
                raise TaskError(f"{type(error).__name__}: {error}") from error
            finally:
                for one in (answer, gone):
                    one.cancel()
                future.release()
            raise GoneError

        return ask

    def _came(self, name: str, address: str) -> None:
        if self.words.get(name):
            self.presence.came(name, address)
        else:
            self.board.tell(
                f"a worker called {one_line(name)[:64]} is not one of this study's hosts"
            )

    def _heard(self, event: tuple[float, Any]) -> None:
        said = event[1]
        if isinstance(said, dict) and isinstance(said.get("line"), str):
            self.board.heard(str(said.get("host")), said["line"])

    async def _show_plan(self) -> None:
        asked = [slug for slug, words in self.words.items() if words]
        first = None
        while True:
            waited_for = [
                slug
                for slug in asked
                if slug not in self.measured and self.board.hosts[slug].state not in ENDED
            ]
            first = first or (time.monotonic() if self.measured else None)
            late = first is not None and time.monotonic() - first > GATHER_SECONDS
            if not waited_for or late or self.stopping:
                break
            self.new_plan.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self.new_plan.wait(), LOOK_SECONDS)
        self.board.show_plan()
        self.begun.set()

    async def file(self, sent: list[Sent]) -> tuple[list[Sent], list[Refusal]]:
        """File records with those of other hosts; returns the filed and the refused ones."""
        done = asyncio.get_running_loop().create_future()
        self.filing.put_nowait((sent, done))
        return await done

    async def _file(self) -> None:
        """File what has arrived in one batch, since checking records starts a process."""
        while True:
            arrived = [await self.filing.get()]
            while not self.filing.empty():
                arrived.append(self.filing.get_nowait())
            sent = [one for batch, _ in arrived for one in batch]
            filed, refused = await asyncio.to_thread(self.archive.file, sent)
            for batch, done in arrived:
                of_host = {one.host for one in batch}
                if not done.cancelled():
                    done.set_result(
                        (
                            [one for one in filed if one.host in of_host],
                            [one for one in refused if one.host in of_host],
                        )
                    )

    def _interrupt(self) -> None:
        """Stop every host after its cleanup; the second time, exit at once."""
        if self.stopping:
            raise KeyboardInterrupt
        self.stopping = True
        self.begun.set()
        self.board.tell("interrupted: the hosts remove their images; finished records are kept")
        addresses = list(self.presence.addresses.values())
        for slug, progress in self.board.hosts.items():
            if slug not in self.presence.addresses and progress.state not in ENDED:
                self.board.set(slug, State.STOPPED, "interrupted on the coordinator")
        if addresses:
            self._stopping = asyncio.ensure_future(
                self.client.run(tasks.stop, workers=addresses, on_error="ignore")
            )
