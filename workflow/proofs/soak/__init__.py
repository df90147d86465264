"""Studies, killed in each step and started again.

Usage: bash workflow/prove.sh soak [KILLS] [SEED] [--save]
  KILLS   of each of five steps: set-up, core, database, Parquet, site (20)
  SEED    of the moments, drawn at random (1)
  --save  keeps the figures in data/proofs/soak.json
Exit codes: 0 nothing found, 1 something found, else those of run.sh.

SIGKILL ends studies in a copy of the project. Nothing that was recorded may be lost or counted
twice, and the second call must complete everything by itself.
"""

import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from proofs.soak.steps import CONFIG, STEPS, VICTIMS, kill_in, length
from proofs.support import goals, proof, soaking
from proofs.support.project import Project, make_fresh
from proofs.support.soaking import Disturbed

TITLE = "Whole studies that were killed and started again"

# Of each step.
LEAST = 20
GOAL = goals.at_least(LEAST, f"{LEAST}")

# For each kill that is asked for: some come when the step is over already.
TRIES = 3


def main(words: list[str]) -> int:
    """The exit code is 1 when anything was amiss."""
    asked = soaking.asked("soak", words, LEAST)
    # what still writes there when something goes wrong must not hide what went wrong
    with tempfile.TemporaryDirectory(
        prefix="diskbench-soak-", ignore_cleanup_errors=True
    ) as folder:
        project = make_fresh(Path(folder) / "project")
        project.render_only("index.qmd")
        project.run(*CONFIG).check_returncode()
        studies = _killed(project, asked.count, asked.seed)
        return soaking.soak(asked, "soak", TITLE, studies, figures)


def _killed(project: Project, kills: int, seed: int) -> Iterator[Disturbed]:
    """So many kills in each step, or fewer where too often the step was over already."""
    for step in STEPS:
        seconds = length(project, step, random.Random(seed))
        print(f"undisturbed: {step.name} {seconds:.1f} s", flush=True)
        tried = (
            # each by a seed of its own, so that one can be repeated alone
            kill_in(project, step, victim, random.Random(f"{seed}/{step.name}/{number}"), seconds)
            for number, victim in zip(range(TRIES * kills), cycle(VICTIMS), strict=False)
        )
        yield from islice(filter(None, tried), kills)


def figures(done: list[Disturbed]) -> list[proof.Figure]:
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
    by_step = Counter(killed.how for killed in done)
    for step in STEPS:
        killed = f"killed in step: {step.name}"
        counted.append(proof.counted(killed, by_step[step.name], "kills", GOAL))
    for victim, count in Counter(killed.victim for killed in done).most_common():
        counted.append(proof.Figure(f"killed: {victim}", count, "kills"))
    return counted
