"""Disturbances of a fleet during a study, and checks at its end."""

import random
import subprocess
import time
from collections.abc import Callable

from proofs.soak.looking import of_records
from proofs.support import victims
from proofs.support.fleet_here import CELLS, CONFIG, FleetHere
from proofs.support.project import Contents
from proofs.support.soaking import Disturbed
from proofs.support.waiting import PATIENCE_SECONDS

# Cables that are out for less than what TCP bears, and for longer than a host may be silent
# (fleet/settings.py).
SHORT_SECONDS = (1.0, 20.0)
LONG_SECONDS = (62.0, 80.0)
BACK_SECONDS = (0.0, 5.0)  # until a killed program is started again

WORKER = ["fleet.__main__", "worker"]  # in its command line
CALL = ("run", "--no-site", "--config", *CONFIG)

# the coordinator that goes on: the one that was running, or another
Trouble = Callable[..., subprocess.Popen]


def undisturbed(fleet: FleetHere) -> float:
    """How long a study of the whole fleet takes, in seconds."""
    fleet.forget()
    begun = time.monotonic()
    coordinator = fleet.call(*CALL)
    code = coordinator.wait(PATIENCE_SECONDS)
    if code:
        raise RuntimeError(f"exit code {code}: {fleet.coordinator.said.read_text()[-2000:]}")
    return time.monotonic() - begun


def disturb(
    fleet: FleetHere, workers: dict[str, subprocess.Popen], drawn: random.Random, trouble: str,
    span_seconds: float,
) -> Disturbed:  # fmt: skip
    """One study with one trouble at a moment that is drawn."""
    fleet.forget()
    slug = drawn.choice(sorted(fleet.hosts))
    coordinator = fleet.call(*CALL)
    after = drawn.uniform(0, span_seconds)
    time.sleep(after)
    kept = {machine.name: machine.project.contents() for machine in fleet.machines}
    coordinator = TROUBLES[trouble](fleet, workers, drawn, slug, coordinator)
    found = []
    try:
        code = coordinator.wait(PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        victims.kill(victims.of_project(fleet.coordinator.project))
        found.append(f"not done after {PATIENCE_SECONDS} s")
    else:
        if code:
            said = fleet.coordinator.said.read_text()
            found.append(f"exit code {code}: {said[-500:]!r}")
    found += _violations(fleet, kept)
    victim = "coordinator" if "coordinator" in trouble else slug
    return Disturbed(trouble, victim, after, sum(map(len, kept.values())), found)


def _kill_worker(fleet, workers, drawn, slug, coordinator) -> subprocess.Popen:
    """The worker alone: what it measures goes on."""
    at_work = victims.of_project(fleet.hosts[slug].project)
    victims.kill([one for one in at_work if victims.words_of(one)[2:4] == WORKER])
    _call_again(fleet, workers, drawn, slug)
    return coordinator


def _kill_host(fleet, workers, drawn, slug, coordinator) -> subprocess.Popen:
    """All of a host at once, as when it loses its power."""
    victims.kill(victims.of_project(fleet.hosts[slug].project))
    _call_again(fleet, workers, drawn, slug)
    return coordinator


def _kill_coordinator(fleet, workers, drawn, slug, coordinator) -> subprocess.Popen:
    victims.kill(victims.of_project(fleet.coordinator.project))
    coordinator.wait(10)
    time.sleep(drawn.uniform(*BACK_SECONDS))
    return fleet.call(*CALL)


def _cut(seconds: tuple[float, float], machine: str | None = None) -> Trouble:
    """The cable of a machine, or of the host that was drawn, is out for a while."""

    def cut(fleet, workers, drawn, slug, coordinator) -> subprocess.Popen:
        fleet.spaces.cut(machine or slug, is_cut=True)
        time.sleep(drawn.uniform(*seconds))
        fleet.spaces.cut(machine or slug, is_cut=False)
        return coordinator

    return cut


WORKER_KILLED = "worker killed"
TROUBLES: dict[str, Trouble] = {
    WORKER_KILLED: _kill_worker,
    "host killed": _kill_host,
    "coordinator killed": _kill_coordinator,
    "cable of a host": _cut(SHORT_SECONDS),
    "cable of the coordinator": _cut(SHORT_SECONDS, "coordinator"),
    "cable of a host, for long": _cut(LONG_SECONDS),
}
CABLES = {name for name in TROUBLES if name.startswith("cable")}


def _call_again(fleet, workers, drawn, slug) -> None:
    workers[slug].wait(10)
    time.sleep(drawn.uniform(*BACK_SECONDS))
    workers[slug] = fleet.worker(slug)


def _violations(fleet: FleetHere, kept: dict[str, Contents]) -> list[str]:
    found = []
    measured: dict[str, bytes] = {}
    for machine in fleet.machines:
        is_host = machine.name in fleet.hosts
        planned = CELLS if is_host else CELLS * len(fleet.hosts)
        amiss = of_records(machine.project, kept[machine.name], planned)
        if is_host:
            measured |= machine.records()
            left = (machine.project.folder / ".diskbench" / "work").rglob("*")
            amiss += [f"left over: {path.name}" for path in left]
        found += [f"{machine.name}: {one}" for one in amiss]
    filed = fleet.coordinator.records()
    return found + [
        f"not the same at its host and on the coordinator: {path}"
        for path in measured.keys() | filed.keys()
        if measured.get(path) != filed.get(path)
    ]
