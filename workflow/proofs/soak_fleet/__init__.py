"""Whole studies of a fleet: programs, hosts and coordinator are killed, network cables pulled.

Usage: bash workflow/prove.sh soak-fleet [STUDIES] [SEED] [--minutes M] [--save]
  STUDIES     how many, of three hosts and a coordinator on this machine (30, some 20 minutes)
  SEED        of the troubles and moments, drawn at random (1)
  --minutes   no study begins after so many
  --save      keeps the figures in data/proofs/fleet.json
Exit codes: 0 nothing found, 1 something found, else those of run.sh.

Each study has one trouble. No record may be lost, changed or filed twice, and each study must end
complete. Cables are pulled in network namespaces, which root makes on Linux.
"""

import random
import tempfile
import time
from collections import Counter
from pathlib import Path

from arguments import minutes, whole_number
from console import log_to
from proofs.soak_fleet.trouble import (
    CABLES,
    TROUBLES,
    WORKER_KILLED,
    Survived,
    disturb,
    undisturbed,
)
from proofs.support import goals, proof
from proofs.support.fleet_here import fleet_here

HOSTS = ["host-a", "host-b", "host-c"]
TITLE = "A fleet whose hosts, coordinator and network failed in the middle of its studies"
# Workers are killed most: twice for each other trouble.
ROUND = [
    one
    for other in TROUBLES
    if other != WORKER_KILLED
    for one in (WORKER_KILLED, WORKER_KILLED, other)
]


def main(words: list[str]) -> int:
    """A line for each study, then what they came to; 1 when anything was amiss."""
    parser = proof.arguments("soak-fleet")
    parser.add_argument("studies", nargs="?", type=whole_number, default=30)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--minutes", type=minutes)
    asked = parser.parse_args(words)
    log_to(proof.PROJECT / ".diskbench" / "logs" / "soak.log")
    begun = time.monotonic()
    done: list[Survived] = []
    with (
        tempfile.TemporaryDirectory(
            prefix="diskbench-fleet-", ignore_cleanup_errors=True
        ) as folder,
        fleet_here(Path(folder), HOSTS) as fleet,
    ):
        troubles = [one for one in ROUND if fleet.spaces or one not in CABLES]
        if not fleet.spaces:
            print("no network namespaces here (root and iproute2 make them): no cable is pulled")
        workers = {slug: fleet.offer(slug) for slug in HOSTS}
        span = undisturbed(fleet)
        print(f"undisturbed: {span:.1f} s", flush=True)
        for number in range(1, asked.studies + 1):
            if asked.minutes and time.monotonic() - begun > asked.minutes * 60:
                break
            drawn = random.Random(f"{asked.seed}/{number}")
            one = disturb(fleet, workers, drawn, troubles[(number - 1) % len(troubles)], span)
            done.append(one)
            print(line(number, one), flush=True)
    proof.show(asked, "fleet", TITLE, figures(done))
    return int(any(one.violations for one in done))


def line(number: int, one: Survived) -> str:
    """What became of one study."""
    found = "; ".join(one.violations) or "whole, nothing lost"
    return (
        f"{number:4}  {one.trouble:26}  {one.victim:8}  at {one.after_seconds:5.1f} s  "
        f"{one.kept:2} records there  {one.took_seconds:5.1f} s in all  {found}"
    )


def figures(done: list[Survived]) -> list[proof.Figure]:
    """What all of them came to."""
    amiss = sum(bool(one.violations) for one in done)
    killed = sum(one.trouble == WORKER_KILLED for one in done)
    counted = [
        proof.Figure("whole studies of three hosts", len(done), "studies"),
        proof.counted(
            "studies after which a record was lost, changed or filed twice, or that were not "
            "complete in the end",
            amiss,
            "studies",
            goals.NONE,
        ),
        proof.counted("a worker killed", killed, "studies", goals.at_least(20, "20")),
    ]
    for trouble, count in Counter(one.trouble for one in done).most_common():
        if trouble != WORKER_KILLED:
            counted.append(proof.Figure(f"trouble: {trouble}", count, "studies"))
    return counted
