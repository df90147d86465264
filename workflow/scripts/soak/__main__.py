"""`python -m soak [KILLS] [SEED] [--save]`, or `fleet` before them: workflow/soak.sh calls it."""

import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from arguments import Parser, minutes, whole_number
from bench import proof
from console import log_to, run
from soak import victims
from soak.killing import CONFIG, UNHARMED, Killed, kill_once, undisturbed
from soak.project import make_fresh

# Most kills are of studies that end with the database: pages take longest and lose nothing.
SITE_EVERY = 10

# For each kill that is asked for: some come when the victim is gone already.
TRIES = 3


def main() -> int:
    """A line for each kill, then what they came to; the exit code is 1 when anything was amiss."""
    if sys.argv[1:2] == ["fleet"]:
        # its packages lie in a folder of their own
        from soak.fleet_soak import main as soak_fleet

        return soak_fleet(sys.argv[2:])
    parser = Parser(prog="bash workflow/soak.sh", description=__doc__)
    parser.add_argument("kills", nargs="?", type=whole_number, default=200, help="how many (200)")
    parser.add_argument("seed", nargs="?", type=int, default=1, help="of the moments (1)")
    parser.add_argument("--save", action="store_true", help="keep the figures for the site")
    parser.add_argument("--minutes", type=minutes, help="no kill begins after so many")
    asked = parser.parse_args()
    log_to(proof.PROJECT / ".diskbench" / "logs" / "soak.log")
    begun = time.monotonic()
    # what still writes there when something goes wrong must not hide what went wrong
    with tempfile.TemporaryDirectory(
        prefix="diskbench-soak-", ignore_cleanup_errors=True
    ) as folder:
        project = make_fresh(Path(folder) / "project")
        project.render_only("index.qmd")
        # builds the core, which is no part of the time that moments are drawn from
        project.run("plan", *CONFIG).check_returncode()
        targets = {"database": ("database",), "site": ()}
        spans = {}
        for name, target in targets.items():
            measuring, spans[name] = undisturbed(project, target)
            print(
                f"undisturbed, until the {name}: {spans[name]:.1f} s, "
                f"{measuring:.1f} s of them before the first cell",
                flush=True,
            )
        done: list[Killed] = []
        for number in range(1, TRIES * asked.kills + 1):
            late = asked.minutes and time.monotonic() - begun > asked.minutes * 60
            if late or len(done) == asked.kills:
                break
            name = "site" if number % SITE_EVERY == 0 else "database"
            victim = victims.VICTIMS[number % len(victims.VICTIMS)]
            # each kill by a seed of its own, so that one can be repeated alone
            drawn = random.Random(f"{asked.seed}/{number}")
            killed = kill_once(project, targets[name], victim, drawn, spans[name])
            print(line(number, name, killed), flush=True)
            if killed.during != UNHARMED or killed.violations:
                done.append(killed)
    print(summary(done))
    if asked.save:
        path = proof.save(
            "soak", TITLE, f"bash workflow/soak.sh {len(done)} {asked.seed}", figures(done)
        )
        print(f"kept in {path}")
    return int(any(killed.violations for killed in done))


TITLE = "Whole studies that were killed, and called again"


def line(number: int, target: str, killed: Killed) -> str:
    """What became of one kill."""
    found = "; ".join(killed.violations) or "complete, nothing lost"
    return (
        f"{number:4}  {target:8}  {killed.victim:12}  {killed.after_seconds:6.2f} s  "
        f"{killed.during:13}  {killed.kept} records kept  {found}"
    )


def summary(done: list[Killed]) -> str:
    """Kills by victim and by moment, and how many of them had a violation."""
    by_victim = Counter(killed.victim for killed in done)
    by_moment = Counter(killed.during for killed in done)
    amiss = sum(bool(killed.violations) for killed in done)
    return "\n".join(
        [
            f"{len(done)} kills, {amiss} with something amiss",
            "victims: " + ", ".join(f"{name} {count}" for name, count in by_victim.most_common()),
            "moments: " + ", ".join(f"{name} {count}" for name, count in by_moment.most_common()),
            f"{sum(killed.kept for killed in done)} records were there at a kill",
        ]
    )


def figures(done: list[Killed]) -> list[proof.Figure]:
    """The same for the site."""
    amiss = sum(bool(killed.violations) for killed in done)
    kept = sum(killed.kept for killed in done)
    counted = [
        proof.Figure("studies killed", len(done), "kills", goal="200", reached=len(done) >= 200),
        proof.Figure(
            "of them with a record lost, changed or counted twice, anything left over, or work "
            "for hands",
            amiss,
            "kills",
            goal="0",
            reached=amiss == 0,
        ),
        proof.Figure("records that were there at a kill", kept, "records"),
    ]
    for victim, count in Counter(killed.victim for killed in done).most_common():
        counted.append(proof.Figure(f"killed: {victim}", count, "kills"))
    for moment, count in Counter(killed.during for killed in done).most_common():
        counted.append(proof.Figure(f"moment: {moment}", count, "kills"))
    return counted


run(main)
