"""The time that a fleet of one host adds to a study by `run.sh`.

Usage: bash workflow/prove.sh fleet [ROUNDS] [--study STUDY] [--scale SCALE] [--save]
  ROUNDS    rounds, each both ways (9)
  --study   which study (all)
  --scale   of the study (tenth)
  --save    keeps the figures in data/proofs/fleet-overhead.json

`run.sh` and a coordinator on the same machine measure one host in turn. The coordinator shares the
host's processors here; on another machine a fleet costs less.
"""

import json
import os
import shutil
import statistics
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from arguments import whole_number
from proofs.support import contenders, goals, proof
from proofs.support.fleet_here import FleetHere, fleet_here
from proofs.support.project import PROJECT
from study.scales import SCALES

HOST = "host-a"
# Beside which all is seen once, so that nothing is made or read in for the first time.
WARM_UP = ("study=encryption-2026", "scale=smoke")
# Six rounds are the fewest that have an interval, from the lowest to the highest. Of nine it is
# from the second lowest to the second highest: a round that was disturbed does not widen it.
ROUNDS = 9
GOAL_OVERHEAD = goals.at_most(3, "<= 3 %")
# No effect on a speed: as much as two good programs that make the same calls may differ by.
GOAL_SPEED = goals.alike(0.05)
TITLE = "A fleet of one host, compared with run.sh on it"

Rates = dict[tuple[str, str], float]  # cell, op -> bytes in a second


def main(words: list[str]) -> None:
    """A line a round, then the ratios."""
    parser = proof.arguments("fleet")
    parser.add_argument("rounds", nargs="?", type=whole_number, default=ROUNDS)
    parser.add_argument("--study", default="all")
    parser.add_argument("--scale", choices=list(SCALES), default="tenth")
    asked = parser.parse_args(words)
    config = (f"study={asked.study}", f"scale={asked.scale}")
    times: list[dict[str, float]] = []
    speeds: dict[str, list[float]] = defaultdict(list)
    with (
        tempfile.TemporaryDirectory(prefix="diskbench-", ignore_cleanup_errors=True) as folder,
        fleet_here(Path(folder), [HOST], namespaces=False) as fleet,
    ):
        for machine in fleet.machines:
            # with its images: a copy for other tests has none
            shutil.copy(
                PROJECT / "workflow/config/study.yaml",
                machine.project.folder / "workflow/config/study.yaml",
            )
        ways = {"run.sh": _plain, "fleet": _fleet}
        for way in ways.values():
            _forget(fleet)
            way(fleet, WARM_UP)
        for number in range(1, asked.rounds + 1):
            order = list(ways) if number % 2 else list(reversed(ways))
            taken: dict[str, float] = {}
            rates: dict[str, Rates] = {}
            for name in order:
                _forget(fleet)
                taken[name] = ways[name](fleet, config)
                rates[name] = _rates(fleet)
            times.append(taken)
            for op, ratio in by_op(rates).items():
                speeds[op].append(ratio)
            ratio = taken["fleet"] / taken["run.sh"]
            print(
                f"{number:3}  run.sh {taken['run.sh']:6.1f} s   fleet {taken['fleet']:6.1f} s   "
                f"ratio {ratio:.3f}",
                flush=True,
            )
    found = figures(times, speeds, f"study={asked.study} at {asked.scale}")
    proof.show(asked, "fleet-overhead", TITLE, found)


def by_op(rates: dict[str, Rates]) -> dict[str, float]:
    """Of one round the median over the cells of speed in a fleet to speed by `run.sh`.

    A round is what is counted: its cells are measured in the same minutes.
    """
    ratios: dict[str, list[float]] = defaultdict(list)
    for (cell, op), rate in rates["fleet"].items():
        ratios[op].append(rate / rates["run.sh"][cell, op])
    return {op: statistics.median(of_op) for op, of_op in ratios.items()}


def figures(
    times: list[dict[str, float]], speeds: dict[str, list[float]], study: str
) -> list[proof.Figure]:
    """Time of a study in a fleet to that without; speeds in it to those without; over rounds."""
    return [
        proof.over_rounds(
            f"time that a fleet adds to {study}",
            [100 * (one["fleet"] / one["run.sh"] - 1) for one in times],
            "%",
            GOAL_OVERHEAD,
        ),
        proof.over_rounds("time of that study by run.sh", [one["run.sh"] for one in times], "s"),
        *(
            proof.over_rounds(
                f"{op} speed measured in a fleet, to that by run.sh", ratios, goal=GOAL_SPEED
            )
            for op, ratios in sorted(speeds.items())
        ),
    ]


def _plain(fleet: FleetHere, config: tuple[str, ...]) -> float:
    begun = time.monotonic()
    done = fleet.hosts[HOST].project.run("records", "--config", f"host={HOST}", *config)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return time.monotonic() - begun


def _fleet(fleet: FleetHere, config: tuple[str, ...]) -> float:
    worker = fleet.offer(HOST)
    try:
        begun = time.monotonic()
        done = fleet.coordinator.run("run", "--no-site", "--config", *config)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return time.monotonic() - begun
    finally:
        worker.terminate()
        worker.wait(60)


def _rates(fleet: FleetHere) -> Rates:
    return {
        (path, op): rate
        for path, content in fleet.hosts[HOST].records().items()
        for op, rate in contenders.by_op(json.loads(content)["samples"]).items()
    }


def _forget(fleet: FleetHere) -> None:
    fleet.forget()
    os.sync()
