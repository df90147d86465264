"""A coordinator with simulated hosts by the hundred: hosts a second, processor time, memory.

Usage: bash workflow/prove.sh fleet-scale [HOSTS ...] [--rounds ROUNDS] [--save]
  HOSTS      how many (125 250 500 1000)
  --rounds   rounds of each (6)
  --save     keeps the figures in data/proofs/fleet-scale.json

The coordinator is the real one: Dask's scheduler, TLS, every record checked and synced. The hosts
are Dask's real workers with a certificate each, many in one process; their answers are synthetic,
and come at once. They share the processors with the coordinator, so a coordinator on a machine of
its own is faster.
"""

import asyncio
import itertools
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from arguments import whole_number
from proofs.support import bulk, goals, proof

HOSTS = (125, 250, 500, 1000)
# What a host returns: as many records as `encryption-2026` has cells in its first phase.
RECORDS = 8
PROCESSES = 2  # that the hosts are in
PORT = 28886
GOAL_RATE = goals.at_least(50)
TITLE = "A coordinator and its hosts by the hundred, simulated"
# Of each host at the most hosts, to the fewest: at most a quarter more, as between the scales of
# core_memory, is called in proportion to the hosts.
IN_PROPORTION = goals.at_most(1.25, "<= 1.25: in proportion to the hosts")
# The fewest that have an interval.
ROUNDS = 6

# number of hosts -> what each round of it came to
Rounds = dict[int, list[dict[str, float]]]


def main(words: list[str]) -> None:
    """A line for each round, then the figures of all."""
    parser = proof.arguments("fleet-scale")
    parser.add_argument("hosts", nargs="*", type=whole_number)
    parser.add_argument("--rounds", type=whole_number, default=ROUNDS)
    asked = parser.parse_args(words)
    found: Rounds = {count: [] for count in asked.hosts or HOSTS}
    # in turn, so that what disturbs the machine for a while disturbs all of them
    for _ in range(asked.rounds):
        for count, rounds in found.items():
            rounds.append(_round(count))
            print(f"{count:5} hosts: filed in {rounds[-1]['filed_seconds']:5.1f} s", flush=True)
    proof.show(asked, "fleet-scale", TITLE, figures(found))


def figures(found: Rounds) -> list[proof.Figure]:
    """The same for the site."""
    most, fewest = max(found), min(found)

    def each(key: str, count: int) -> list[float]:
        """Of each host, in each round."""
        return [one[key] / count for one in found[count]]

    told = [
        proof.Figure("hosts in one study", most, "hosts"),
        proof.over_rounds(
            f"hosts' records filed in a second, {RECORDS} records each",
            [most / one["filed_seconds"] for one in found[most]],
            "hosts/s",
            GOAL_RATE,
        ),
        proof.over_rounds(
            "memory of the coordinator", [one["resident_bytes"] / 1e6 for one in found[most]], "MB"
        ),
        proof.over_rounds(
            "the coordinator's processor time for each host",
            [1000 * seconds for seconds in each("cpu_seconds", most)],
            "ms",
        ),
    ]
    if most != fewest:
        told += [
            proof.over_rounds(
                f"{what} for each host at {most} hosts, to that at {fewest}",
                [
                    at_most / at_fewest
                    for at_most, at_fewest in zip(each(key, most), each(key, fewest), strict=True)
                ],
                goal=IN_PROPORTION,
            )
            for key, what in (("cpu_seconds", "processor time"), ("coordinator_bytes", "memory"))
        ]
    return told


def _round(count: int) -> dict[str, float]:
    from fleet.certificates import CertificateStore
    from fleet.config import Coordinator, Host

    module = [sys.executable, "-m", "proofs.fleet_scale"]
    with tempfile.TemporaryDirectory(prefix="diskbench-scale-") as name:
        folder = Path(name)
        CertificateStore(folder / "fleet").make(
            Coordinator("127.0.0.1", PORT), [Host(_slug(one)) for one in range(count)]
        )
        bounds = [count * part // PROCESSES for part in range(PROCESSES + 1)]
        hosts = [
            subprocess.Popen(
                [*module, "hosts", name, str(first), str(last)], stderr=subprocess.DEVNULL
            )
            for first, last in itertools.pairwise(bounds)
        ]
        try:
            coordinator = subprocess.run(
                [*module, "coordinator", name, str(count)],
                check=True,
                capture_output=True,
                text=True,
            )
        finally:
            for one in hosts:
                one.kill()
                one.wait()
        return json.loads(coordinator.stdout.splitlines()[-1])


def _slug(number: int) -> str:
    return f"made-up-mac-{number:05}"


async def _coordinator(folder: Path, count: int) -> None:
    """The real coordinator, and what it took."""
    from fleet import coordinator, filing, settings, version
    from fleet.certificates import CertificateStore
    from fleet.config import Coordinator, Fleet, Host
    from fleet.progress import Board

    settings.apply(folder / "coordinator.log")
    coordinator.raise_limit_of_files()
    # everybody is waited for, so that all return at the same time: the worst that may be
    coordinator.GATHER_SECONDS = 600.0
    hosts = {_slug(one): Host(_slug(one)) for one in range(count)}
    filed_at = []

    class Watched(filing.Archive):
        def file(self, sent):
            done = super().file(sent)
            filed_at.append(time.monotonic())
            return done

    archive = Watched(folder / "runs")
    board = Board(list(hosts))
    board.tell = lambda _: None
    board.show_plan = lambda: None
    before_bytes = psutil.Process().memory_info().rss
    before_seconds = _cpu_seconds()
    run = coordinator.Run(
        Fleet(Coordinator("127.0.0.1", PORT), hosts),
        {slug: [f"host={slug}"] for slug in hosts},
        CertificateStore(folder / "fleet"),
        board,
        archive,
        version.Version("", {}),
    )
    opened = []

    async def watch() -> None:
        await run.begun.wait()
        opened.append(time.monotonic())

    watching = asyncio.create_task(watch())
    await run.go(wait_seconds=60)
    await watching
    used = resource.getrusage(resource.RUSAGE_SELF)
    most_bytes = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    filed = len(list((folder / "runs").rglob("*.json")))
    if filed != count * RECORDS:
        raise RuntimeError(f"{filed} records filed, not {count * RECORDS}")
    print(
        json.dumps(
            {
                "filed_seconds": filed_at[-1] - opened[0],
                "cpu_seconds": _cpu_seconds() - before_seconds,
                "resident_bytes": most_bytes,
                "coordinator_bytes": most_bytes - before_bytes,
            }
        )
    )


def _cpu_seconds() -> float:
    """Of this process and of those that it started."""
    both = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)


async def _hosts(folder: Path, first: int, last: int) -> None:
    """Workers that answer at once; each has its records in hand once it has 'measured'."""
    from distributed import get_worker

    from fleet import coordinator, settings, tasks, worker
    from fleet.certificates import read_certificate

    settings.apply(folder / f"hosts-{first}.log")
    coordinator.raise_limit_of_files()
    records: dict[str, dict[str, bytes]] = {}
    for number in range(first, last):
        texts = bulk.of_host(_slug(number), range(RECORDS), number)
        records[_slug(number)] = {path.removesuffix(".json"): text for path, text in texts}
    measured: set[str] = set()

    def plan(words, to_measure):
        cells = list(records[get_worker().name])
        told = {"cells": cells, "due": cells, "seconds": 1, "written_bytes": {"internal": 1}}
        return {"code": 0, "line": "", **told}

    def measure(words):
        measured.add(get_worker().name)
        return {"code": 0, "line": ""}

    def collect(have, passed_over):
        name = get_worker().name
        mine = records[name] if name in measured else {}
        missing = {c: t for c, t in mine.items() if c not in have}
        return {"records": missing, "left": 0, "unreadable": {}}

    # the coordinator asks for them by their names
    tasks.plan, tasks.measure, tasks.collect = plan, measure, collect
    tasks.introduce = lambda: {
        "version": {"commit": "", "files": {}}, "is_the_worker_s": True,
        "machine": "made-up", "once": False,
    }  # fmt: skip
    slots = []
    for number in range(first, last):
        own = read_certificate(folder / "fleet" / "certificates" / f"{_slug(number)}.certificate")
        while True:
            try:
                slots.append(await worker.slot(own, "127.0.0.1", folder / "scratch"))
                break
            except (OSError, RuntimeError):
                await asyncio.sleep(0.2)  # the coordinator is not there yet
    await asyncio.gather(*(one.finished() for one in slots))


if __name__ == "__main__":
    role, place, *numbers = sys.argv[1:]
    work = {"coordinator": _coordinator, "hosts": _hosts}[role]
    asyncio.run(work(Path(place), *map(int, numbers)))
