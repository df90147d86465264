"""Disturbances of a fleet during a study, and checks at its end."""

import random
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass

from proofs.support import victims
from proofs.support.fleet_here import (
    CELLS,
    CONFIG,
    PATIENCE_SECONDS,
    FleetHere,
)

# Cables that are out for less than what TCP bears, and for longer than a host may be silent
# (fleet/settings.py).
SHORT_SECONDS = (1.0, 20.0)
LONG_SECONDS = (62.0, 80.0)
BACK_SECONDS = (0.0, 5.0)  # until a killed program is started again

WORKER = ["fleet.__main__", "worker"]  # in its command line
CALL = ("run", "--no-site", "--config", *CONFIG)


@dataclass(frozen=True)
class Survived:
    """One study: what was done to it and when, what was there then, and what was amiss after it."""

    trouble: str
    victim: str
    after_seconds: float
    kept: int
    took_seconds: float
    violations: list[str]


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
) -> Survived:  # fmt: skip
    """One study with one trouble at a moment that is drawn."""
    fleet.forget()
    slug = drawn.choice(sorted(fleet.hosts))
    begun = time.monotonic()
    coordinator = fleet.call(*CALL)
    after = drawn.uniform(0, span_seconds)
    time.sleep(after)
    kept = {machine.name: machine.records() for machine in fleet.machines}
    coordinator = TROUBLES[trouble](fleet, workers, drawn, slug, coordinator)
    found = []
    try:
        code = coordinator.wait(PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        victims.kill(victims.of_project(fleet.coordinator.project))
        code = None
    if code:
        found.append(f"exit code {code}: {fleet.coordinator.said.read_text()[-500:]!r}")
    elif code is None:
        found.append(f"not done after {PATIENCE_SECONDS} s")
    found += _violations(fleet, kept)
    victim = "coordinator" if "coordinator" in trouble else slug
    return Survived(
        trouble,
        victim,
        after,
        sum(len(records) for records in kept.values()),
        time.monotonic() - begun,
        found,
    )


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


def _cut(fleet: FleetHere, machine: str, seconds: float) -> None:
    fleet.spaces.cut(machine, is_cut=True)
    time.sleep(seconds)
    fleet.spaces.cut(machine, is_cut=False)


def _cut_host(fleet, workers, drawn, slug, coordinator) -> subprocess.Popen:
    _cut(fleet, slug, drawn.uniform(*SHORT_SECONDS))
    return coordinator


def _cut_host_for_long(fleet, workers, drawn, slug, coordinator) -> subprocess.Popen:
    _cut(fleet, slug, drawn.uniform(*LONG_SECONDS))
    return coordinator


def _cut_coordinator(fleet, workers, drawn, slug, coordinator) -> subprocess.Popen:
    _cut(fleet, "coordinator", drawn.uniform(*SHORT_SECONDS))
    return coordinator


WORKER_KILLED = "worker killed"
TROUBLES: dict[str, Callable[..., subprocess.Popen]] = {
    WORKER_KILLED: _kill_worker,
    "host killed": _kill_host,
    "coordinator killed": _kill_coordinator,
    "cable of a host": _cut_host,
    "cable of the coordinator": _cut_coordinator,
    "cable of a host, for long": _cut_host_for_long,
}
CABLES = {name for name in TROUBLES if name.startswith("cable")}


def _call_again(fleet, workers, drawn, slug) -> None:
    workers[slug].wait(10)
    time.sleep(drawn.uniform(*BACK_SECONDS))
    workers[slug] = fleet.worker(slug)


def _violations(fleet: FleetHere, kept: dict[str, dict[str, bytes]]) -> list[str]:
    found = []
    for machine in fleet.machines:
        now = machine.records()
        for path, content in kept[machine.name].items():
            if path not in now:
                found.append(f"lost on {machine.name}: {path}")
            elif now[path] != content:
                found.append(f"changed on {machine.name}: {path}")
        aside = sorted((machine.project.folder / "data").rglob("*.superseded-*"))
        found += [f"set aside on {machine.name}: {path.name}" for path in aside]
    measured: dict[str, bytes] = {}
    for slug, host in fleet.hosts.items():
        records = host.records()
        if len(records) != CELLS:
            found.append(f"{len(records)} of {CELLS} records on {slug}")
        measured |= records
        left = list((host.project.folder / ".diskbench" / "work").rglob("*"))
        found += [f"left over on {slug}: {path.name}" for path in left]
    at_coordinator = fleet.coordinator.records()
    found += [f"not on the coordinator: {path}" for path in measured.keys() - at_coordinator.keys()]
    found += [
        f"only on the coordinator: {path}" for path in at_coordinator.keys() - measured.keys()
    ]
    found += [
        f"other on the coordinator: {path}"
        for path in at_coordinator.keys() & measured.keys()
        if at_coordinator[path] != measured[path]
    ]
    return found
