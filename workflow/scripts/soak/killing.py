"""One study from its beginning: killed at a moment drawn at random, then called again."""

import random
import shutil
import subprocess
import time
from dataclasses import dataclass

import psutil

from soak import victims
from soak.looking import acknowledged, violations
from soak.project import Project

# Four cells of 0.27 GB: two phases of one image without a file system of its own, and two formats.
CONFIG = (
    "--config",
    "protocols=[usage-phases]",
    "matrix=["
    "{driver: native, formats: [native], encryptions: [host], phases: [fresh, partly-filled]},"
    " {driver: portable, formats: [UDSB], encryptions: [none], phases: [fresh]},"
    " {driver: portable, formats: [ASIF], encryptions: [AES-256], phases: [fresh]}]",
)
CELLS = 4

# How long what outlives a kill of something else may take to end by itself, in seconds.
ENDING_SECONDS = 180

# A cell of this size takes no longer where nothing else is in the way, in seconds.
LONGEST_CELL_SECONDS = 3


UNHARMED = "not there"


@dataclass(frozen=True)
class Killed:
    """One kill: who, when (seconds after the call), what went on, and what was found afterwards."""

    victim: str
    after_seconds: float
    during: str  # UNHARMED when the victim was gone at that moment
    kept: int
    violations: list[str]
    told: list[str]


def begin_anew(project: Project) -> None:
    """As if nothing had ever been measured here; Snakemake's own memory is kept."""
    for folder in ("data/runs", "data/parquet", ".diskbench", "reports/_site"):
        shutil.rmtree(project.folder / folder, ignore_errors=True)
    (project.folder / "data" / "diskbench.duckdb").unlink(missing_ok=True)


def kill_once(
    project: Project,
    target: tuple[str, ...],
    victim: str,
    drawn: random.Random,
) -> Killed:
    """Kill in a cell."""
    begin_anew(project)
    begun = time.monotonic()
    study = project.start(*target, *CONFIG)
    core = _core_in_a_cell(project, study, drawn)
    during = "measuring" if core else UNHARMED
    # what is found once is killed without another look: a core may end at any moment
    doomed = core if victim == victims.CORE else victims.find(project, victim)
    kept = acknowledged(project)
    killed = victims.kill(doomed)
    after = time.monotonic() - begun
    if not killed:
        during = UNHARMED
    if victim != victims.LAUNCHER:
        study.communicate(timeout=ENDING_SECONDS)
    found = []
    if victim in (victims.SNAKEMAKE, victims.CORE) and killed:
        found += [f"still at work: {left}" for left in victims.of_project(project)]
    # what outlives the launcher must not be waited for: the next call comes at once
    again = project.run(*target, *CONFIG)
    told = [line for line in again.stderr.splitlines() if line.startswith("diskbench: ")]
    if again.returncode:
        found.append(f"exit code {again.returncode}: {again.stderr.strip()}")
    elif found_again := violations(project, kept, CELLS):
        found += found_again
    if "Traceback" in again.stderr:
        found.append(f"a traceback: {again.stderr}")
    if victim == victims.LAUNCHER:
        study.communicate(timeout=ENDING_SECONDS)
    return Killed(victim, after, during, len(kept), found, told)


def _core_in_a_cell(
    project: Project, study: subprocess.Popen, drawn: random.Random
) -> list[psutil.Process]:
    """The core in a cell drawn at random, some time after it began, or with its record just there.

    Empty when the study ended before.
    """
    finished = drawn.randrange(CELLS)
    sees_the_record = drawn.random() < 0.5
    seconds = ENDING_SECONDS if sees_the_record else drawn.uniform(0, LONGEST_CELL_SECONDS)
    core: list[psutil.Process] = []
    while study.poll() is None and not core:
        time.sleep(0.01)
        if len(project.records()) >= finished:
            core = [one for one in victims.find(project, victims.CORE) if _writes(project, one)]
    last = time.monotonic() + seconds
    there = len(project.records())
    while time.monotonic() < last and study.poll() is None and len(project.records()) == there:
        time.sleep(0.001)
    return core


def _writes(project: Project, core: psutil.Process) -> bool:
    """Whether its record is not there yet: one that puts its image away has nothing to lose."""
    try:
        words = core.cmdline()
        return not (project.folder / words[words.index("--record") + 1]).exists()
    except (psutil.Error, ValueError):
        return False
