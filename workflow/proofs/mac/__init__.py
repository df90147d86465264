"""Driver apple on a simulated Mac whose programs misbehave, and the driver's own time.

Usage: bash workflow/prove.sh mac [RUNS] [SEED] [FOLDER]
  RUNS     runs with misbehaviours (200)
  SEED     of all that is drawn at random (1)
  FOLDER   where the simulated Mac works (/dev/shm, where there is one)

Three parts. RUNS runs, each of one image on a release drawn at random, with misbehaviours of its
programs drawn at random: nothing may hang, no file of others may be changed, every cell must end
measured, skipped or failed with a reason, and a second call must complete it. Then runs that
are killed or interrupted at a random moment. Then the time that the driver itself takes, outside
the programs and the files.
"""

import random
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

from arguments import Parser, whole_number, writable_folder
from proofs.mac import cut_short
from proofs.support import core, goals
from proofs.support.stand_in import StandInMac, digest

RELEASES = ("13", "14", "15", "26", "27")

# the misbehaviours of the programs, and how often at most
# (core/diskbench-core/examples/stand_in).
MISBEHAVIOURS = {
    "always-busy-hdiutil-detach": 1,
    "ask-password": 1,
    "busy-detach": 5,
    "detach-timeout": 2,
    "eject-dissent": 3,
    "gone-after-detach": 2,
    "hang attach": 1,
    "hang caffeinate": 1,
    "hang compact": 1,
    "hang create": 1,
    "hang detach": 2,
    "hang df": 1,
    "hang diskutil info": 2,
    "hang diskutil-image attach": 1,
    "hang eject": 1,
    "hang fdesetup": 1,
    "hang hdiutil info": 2,
    "hang info": 2,
    "hang ioreg": 2,
    "hang pmset": 2,
    "hang sw_vers": 1,
    "hang sysctl": 2,
    "hang tmutil": 1,
    "hang unmountDisk": 1,
    "hang vm_stat": 1,
    "helper-error": 2,
    "leave-attached": 2,
    "locked-attach": 3,
    "no-space attach": 1,
    "no-space compact": 1,
    "no-space create": 1,
    "resource-busy-create": 2,
    "reuse-numbers": 3,
    "shuffle-entities": 9,
    "stingy-compact": 2,
    "truncate-info": 9,
}

# What else a Mac may be, each with how likely it is here: words for `stand_in install`.
PECULIARITIES = {
    ("--language", "de"): 0.3,
    ("--heeds-locale",): 0.3,
    ("--without-udsp",): 0.1,
    ("--on-battery",): 0.1,
    ("--file-vault", "off"): 0.2,
    ("--mac", "guest"): 0.2,
    ("--memory-pressure", "4"): 0.1,
}

# number of interrupted runs
CUT_SHORT = 60

# The most that the driver may take for one cell outside programs and files, in milliseconds.
GOAL_MS = 50


def main(words: list[str]) -> None:
    """Build, run, print."""
    parser = Parser(prog="bash workflow/prove.sh mac")
    parser.add_argument("runs", type=whole_number, nargs="?", default=200)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("folder", type=writable_folder, nargs="?", default=core.MEMORY)
    arguments = parser.parse_args(words)
    core.build("stand_in")
    with tempfile.TemporaryDirectory(dir=arguments.folder) as temporary:
        folder = Path(temporary)
        print(f"{arguments.runs} runs with misbehaviours, seed {arguments.seed}", flush=True)
        misbehaved(folder, core.RELEASE.resolve(), arguments.runs, arguments.seed)
        print(f"\n{CUT_SHORT} runs that are cut short, seed {arguments.seed}", flush=True)
        stopped(folder, core.RELEASE.resolve(), CUT_SHORT, arguments.seed)
        print("\nthe driver's own time for a cell, outside programs and files", flush=True)
        for line in own_time(folder, core.RELEASE.resolve()):
            print(line, flush=True)


def misbehaved(folder: Path, target: Path, runs: int, seed: int) -> None:
    """The runs, and one line for what became of their cells."""
    begun = time.monotonic()
    ends: Counter[str] = Counter()
    orders: Counter[str] = Counter()
    for number in range(runs):
        told = random.Random(f"{seed}/{number}")
        drawn = draw(told)
        orders.update(drawn)
        with _named(f"run {number} of seed {seed}, {drawn}"):
            ends.update(one_run(folder / str(number), target, told, drawn))
    seconds = time.monotonic() - begun
    print(f"cells after the first call: {dict(sorted(ends.items()))}; after the second none failed")
    print("nothing hung, nothing stayed attached or was left, nothing of anybody else was touched")
    print(f"misbehaviours: {dict(sorted(orders.items()))}; {seconds:.0f} s")


def stopped(folder: Path, target: Path, runs: int, seed: int) -> None:
    """Interrupted runs, with a line for their results."""
    begun = time.monotonic()
    became: Counter[str] = Counter()
    for number in range(runs):
        told = random.Random(f"{seed}/cut short/{number}")
        with _named(f"run {number} of seed {seed} that is cut short"):
            # every other one with programs that misbehave as well
            orders = draw(told) if number % 2 else {}
            machine, cells = one_image(folder / f"cut-short-{number}", target, told)
            became[cut_short.cut_short(machine, cells, told, orders)] += 1
    seconds = time.monotonic() - begun
    print(f"{dict(sorted(became.items()))}; the same calls completed all; {seconds:.0f} s")


@contextmanager
def _named(run: str) -> Iterator[None]:
    """Says which run it was that went wrong."""
    try:
        yield
    except (AssertionError, subprocess.TimeoutExpired) as error:
        raise SystemExit(f"{run}: {error}") from error


def draw(told: random.Random) -> dict[str, int]:
    """One to three misbehaviours, and how often each happens."""
    names = told.sample(sorted(MISBEHAVIOURS), told.randint(1, 3))
    return {name: told.randint(1, MISBEHAVIOURS[name]) for name in names}


def one_run(
    folder: Path, target: Path, told: random.Random, orders: dict[str, int]
) -> Counter[str]:
    """One image in all its phases, twice; how its cells ended the first time."""
    mac, cells = one_image(folder, target, told)
    # of the same name as ours, elsewhere
    foreign = mac.foreign_image(folder / "theirs" / "image.sparsebundle")
    before = digest(foreign)
    for name, times in orders.items():
        mac.order(name, times)
    ends = Counter(end_of(mac, cell) for cell in cells)
    for name in orders:
        mac.order(name, 0)
    for cell in cells:
        if not mac.record_path(cell).exists() or mac.record(cell)["status"] == "failed":
            assert end_of(mac, cell) in ("measured", "skipped"), mac.record(cell)["reason"]
    attached = mac.attached()
    assert foreign in attached, "somebody else's image was detached"
    ours = [image.name for image in attached if image.is_relative_to(mac.work)]
    assert ours == [], f"still attached: {ours}"
    assert digest(foreign) == before, "somebody else's image was touched"
    # as the study does at its end: an earlier phase that is measured later leaves its image for one
    # that has its record already
    mac.sweep()
    assert mac.left_over() == [], f"left in the folder to work in: {mac.left_over()}"
    return ends


def one_image(
    folder: Path, target: Path, told: random.Random
) -> tuple[StandInMac, list[dict[str, Any]]]:
    """A Mac drawn at random, and the cells of one image on it."""
    options = [
        word for words, chance in PECULIARITIES.items() if told.random() < chance for word in words
    ]
    mac = StandInMac(folder, target, told.choice(RELEASES), options)
    images = images_of(mac)
    return mac, images[told.choice(sorted(images))]


def images_of(mac: StandInMac) -> dict[tuple, list[dict[str, Any]]]:
    """The cells that driver apple serves, by their image."""

    def image(cell):
        return (cell["protocol"], cell["format"], cell["encryption"])

    cells = [cell for cell in mac.plan() if cell["driver"] == "apple"]
    return {key: list(group) for key, group in groupby(cells, key=image)}


def end_of(mac: StandInMac, cell: dict[str, Any]) -> str:
    """How a cell ended: measured, skipped or failed. AssertionError when it did not end so."""
    done = mac.run(cell)
    assert done.returncode in (0, 7), f"exit code {done.returncode}: {done.stderr.strip()}"
    record = mac.record(cell)
    assert (record["status"] == "measured") == (record["reason"] is None)
    return record["status"]


def own_time(folder: Path, target: Path) -> list[str]:
    """One line for each release: the median over its cells, and the longest."""
    lines = []
    for release in RELEASES:
        mac = StandInMac(folder / f"own-{release}", target, release)
        times = []
        for cell in mac.plan("encryption-2026"):
            if cell["driver"] == "apple" and end_of(mac, cell) == "measured":
                times.append(own_ms(mac.record(cell)))
        median, longest = statistics.median(times), max(times)
        # of every cell that was run, not of an estimate
        verdict = goals.told(longest <= GOAL_MS)
        lines.append(
            f"macOS {release:3} {len(times):3} cells: {median:.1f} ms (longest {longest:.1f})"
            f"   goal <= {GOAL_MS} ms: {verdict}"
        )
    return lines


def own_ms(record: dict[str, Any]) -> float:
    """What a cell's steps took, less its programs and its files between opening and closing."""
    steps = sum(step["elapsed_ns"] for step in record["steps"])
    programs = sum(
        command["elapsed_ns"] for step in record["steps"] for command in step.get("commands", [])
    )
    files = sum(sample["elapsed_ns"] for sample in record["samples"])
    return (steps - programs - files) / 1e6
