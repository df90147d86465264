"""A probe on a simulated Mac."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stand_in import StandInMac

from probe import looking, report
from probe.probes import PROBES, taking

# Instead of 200: what is looked at is the programs.
TRIES = 6


@pytest.fixture
def look(folder, target, monkeypatch) -> Callable[..., tuple[StandInMac, report.Found]]:
    """Make a Mac of a release, prepare it, and run all or some of the probes on it."""
    monkeypatch.setattr(taking, "TRIES", TRIES)
    monkeypatch.setattr(taking, "LEAST_TRIES", TRIES)
    made: list[StandInMac] = []

    def look(
        release: str,
        *options: str,
        only: tuple[str, ...] = (),
        prepare: Callable[[StandInMac], object] = lambda mac: None,
        core: Path = target / "diskbench",
        **more: Any,
    ) -> tuple[StandInMac, report.Found]:
        mac = StandInMac(folder / str(len(made)), target, release, list(options))
        made.append(mac)
        for name, value in mac.environment().items():
            monkeypatch.setenv(name, value)
        prepare(mac)
        if only:
            chosen = tuple(one for one in PROBES if one.name in ("creating", *only))
            monkeypatch.setattr(looking, "PROBES", chosen)
        return mac, looking.look(mac.work, core, lambda probe: None, **more)

    return look


@pytest.fixture
def verdicts() -> Callable[[report.Found], dict[str, str]]:
    """The verdict on each statement."""
    return lambda found: {one["id"]: one["verdict"] for one in found.document["statements"]}
