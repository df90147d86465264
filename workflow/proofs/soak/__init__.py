"""Studies, killed in each step and started again.

Usage: bash workflow/prove.sh soak [KILLS] [SEED] [--minutes M] [--save]
  KILLS       of each of five steps: set-up, core, database, Parquet, site (20)
  SEED        of the moments, drawn at random (1)
  --minutes   no kill begins after so many
  --save      keeps the figures in data/proofs/soak.json
Exit codes: 0 nothing found, 1 something found, else those of run.sh.

SIGKILL ends studies in a copy of the project. Nothing that was recorded may be lost or counted
twice, and the second call must complete everything by itself.
"""

import random
import tempfile
import time
from collections import Counter
from pathlib import Path

from arguments import minutes, whole_number
from console import log_to
from proofs.soak.steps import CONFIG, STEPS, VICTIMS, Killed, kill_in, length
from proofs.support import goals, proof
from proofs.support.project import make_fresh

# Of each step.
LEAST = 20
GOAL = goals.at_least(LEAST, f"{LEAST}")

# For each kill that is asked for: some come when the step is over already.
TRIES = 3


def main(words: list[str]) -> int:
    """A line for each kill, then what they came to; the exit code is 1 when anything was amiss."""
    parser = proof.arguments("soak")
    parser.add_argument("kills", nargs="?", type=whole_number, default=LEAST)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--minutes", type=minutes)
    asked = parser.parse_args(words)
    log_to(proof.PROJECT / ".diskbench" / "logs" / "soak.log")
    begun = time.monotonic()
    # what still writes there when something goes wrong must not hide what went wrong
    with tempfile.TemporaryDirectory(
        prefix="diskbench-soak-", ignore_cleanup_errors=True
    ) as folder:
        project = make_fresh(Path(folder) / "project")
        project.render_only("index.qmd")
        project.run(*CONFIG).check_returncode()
        lengths = {}
        for step in STEPS:
            lengths[step] = length(project, step, random.Random(asked.seed))
            print(f"undisturbed: {step.name} {lengths[step]:.1f} s", flush=True)
        done: list[Killed] = []
        # in turn, so that steps have as many each whenever it ends
        for number in range(TRIES * asked.kills * len(STEPS)):
            step = STEPS[number % len(STEPS)]
            if asked.minutes and time.monotonic() - begun > asked.minutes * 60:
                break
            if sum(one.step == step.name for one in done) == asked.kills:
                continue
            victim = VICTIMS[number // len(STEPS) % len(VICTIMS)]
            # each kill by a seed of its own, so that one can be repeated alone
            drawn = random.Random(f"{asked.seed}/{number}")
            killed = kill_in(project, step, victim, drawn, lengths[step])
            if killed:
                done.append(killed)
                print(line(number, killed), flush=True)
    proof.show(asked, "soak", TITLE, figures(done))
    return int(any(killed.violations for killed in done))


TITLE = "Whole studies that were killed and started again"


def line(number: int, killed: Killed) -> str:
    """What became of one kill."""
    found = "; ".join(killed.violations) or "complete, nothing lost"
    return (
        f"{number:4}  {killed.step:8}  {killed.victim:12}  {killed.after_seconds:6.2f} s  "
        f"{killed.kept} records kept  {found}"
    )


def figures(done: list[Killed]) -> list[proof.Figure]:
    """What all of them came to."""
    amiss = sum(bool(killed.violations) for killed in done)
    kept = sum(killed.kept for killed in done)
    counted = [
        proof.Figure("studies killed", len(done), "kills"),
        proof.counted(
            "kills after which a record was lost, changed or counted twice, something was left "
            "over, or manual work was needed",
            amiss,
            "kills",
            goals.NONE,
        ),
        proof.Figure("records that existed when a study was killed", kept, "records"),
    ]
    by_step = Counter(killed.step for killed in done)
    for step in STEPS:
        killed = f"killed in step: {step.name}"
        counted.append(proof.counted(killed, by_step[step.name], "kills", GOAL))
    for victim, count in Counter(killed.victim for killed in done).most_common():
        counted.append(proof.Figure(f"killed: {victim}", count, "kills"))
    return counted
