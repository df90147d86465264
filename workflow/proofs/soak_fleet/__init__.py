"""Whole studies of a fleet: programs, hosts and coordinator are killed, network cables pulled.

Usage: bash workflow/prove.sh soak-fleet [STUDIES] [SEED] [--save]
  STUDIES  how many, of three hosts and a coordinator on this machine (30, some 20 minutes)
  SEED     of the troubles and moments, drawn at random (1)
  --save   keeps the figures in data/proofs/fleet.json
Exit codes: 0 nothing found, 1 something found, else those of run.sh.

Each study has one trouble. No record may be lost, changed or filed twice, and each study must end
complete. Cables are pulled in network namespaces, which root makes on Linux.
"""

import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from proofs.soak_fleet.trouble import CABLES, TROUBLES, WORKER_KILLED, disturb, undisturbed
from proofs.support import goals, proof, soaking
from proofs.support.fleet_here import FleetHere, fleet_here
from proofs.support.soaking import Disturbed

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
    """The exit code is 1 when anything was amiss."""
    asked = soaking.asked("soak-fleet", words, 30)
    with (
        tempfile.TemporaryDirectory(
            prefix="diskbench-fleet-", ignore_cleanup_errors=True
        ) as folder,
        fleet_here(Path(folder), HOSTS) as fleet,
    ):
        studies = _disturbed(fleet, asked.count, asked.seed)
        return soaking.soak(asked, "fleet", TITLE, studies, figures)


def _disturbed(fleet: FleetHere, count: int, seed: int) -> Iterator[Disturbed]:
    troubles = [one for one in ROUND if fleet.spaces or one not in CABLES]
    if not fleet.spaces:
        print("no network namespaces here (root and iproute2 make them): no cable is pulled")
    workers = {slug: fleet.offer(slug) for slug in HOSTS}
    span = undisturbed(fleet)
    print(f"undisturbed: {span:.1f} s", flush=True)
    for number in range(count):
        drawn = random.Random(f"{seed}/{number + 1}")
        yield disturb(fleet, workers, drawn, troubles[number % len(troubles)], span)


def figures(done: list[Disturbed]) -> list[proof.Figure]:
    """What all of them came to."""
    amiss = sum(bool(one.violations) for one in done)
    troubles = Counter(one.how for one in done)
    killed = troubles.pop(WORKER_KILLED, 0)
    return [
        proof.Figure("whole studies of three hosts", len(done), "studies"),
        proof.counted(
            "studies after which a record was lost, changed or filed twice, or that were not "
            "complete in the end",
            amiss,
            "studies",
            goals.NONE,
        ),
        proof.counted("a worker killed", killed, "studies", goals.at_least(20, "20")),
        *(
            proof.Figure(f"trouble: {trouble}", count, "studies")
            for trouble, count in troubles.most_common()
        ),
    ]
