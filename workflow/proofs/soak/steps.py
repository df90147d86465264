"""Kills within a given step: waits for the step, then for a random moment.

Nothing is measured but what the step needs: a study that is complete has the one thing taken away
that makes the step due.
"""

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass

import psutil

from proofs.soak.looking import violations
from proofs.support import victims
from proofs.support.project import Project
from proofs.support.soaking import Disturbed
from proofs.support.victims import words_of

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

# Instead of the core, which most steps do not have: the step's own process.
THE_STEP = "the step"
VICTIMS = (victims.EVERYTHING, victims.SNAKEMAKE, victims.LAUNCHER, THE_STEP)

LOOK_EVERY = 0.002  # seconds

NOTE = "data/diskbench.duckdb.made-from.json"


@dataclass(frozen=True)
class Step:
    """A step of a study: how to make it due, and whether it is running.

    target: what is called; the whole study without one. find: the processes that the step is.
    """

    name: str
    target: tuple[str, ...]
    make_due: Callable[[Project, random.Random], None]
    find: Callable[[Project], list[psutil.Process]]


def _module(name: str) -> Callable[[Project], list[psutil.Process]]:
    """Finds `python -m <name>`."""

    def find(project: Project) -> list[psutil.Process]:
        return [one for one in victims.of_project(project) if words_of(one)[1:3] == ["-m", name]]

    return find


def _measuring(project: Project) -> list[psutil.Process]:
    return victims.find(project, victims.CORE)


def _writing_parquet(project: Project) -> list[psutil.Process]:
    """The build of the database, from its first Parquet file on until all are in place."""
    # os.walk passes over folders that are moved into place meanwhile
    begun = any(
        name.endswith(".parquet")
        for folder in (project.folder / "data").glob("diskbench.duckdb.building-*/parquet")
        for _, _, names in os.walk(folder)
        for name in names
    )
    return _module("database")(project) if begun else []


def _setting_up(project: Project) -> list[psutil.Process]:
    """The processes before the first step."""
    at_work = victims.of_project(project)
    begun = [
        one for one in at_work if words_of(one)[1:3] in (["-m", "database"], ["-m", "publish"])
    ]
    return [] if begun or _measuring(project) else at_work


def _nothing(_project: Project, _drawn: random.Random) -> None:
    """A study that is complete is set up all the same."""


def _lose_a_record(project: Project, drawn: random.Random) -> None:
    drawn.choice(project.records()).unlink()


def _lose_the_database(project: Project, _drawn: random.Random) -> None:
    (project.folder / NOTE).unlink(missing_ok=True)


def _lose_the_site(project: Project, _drawn: random.Random) -> None:
    (project.folder / "reports/_site/index.html").unlink(missing_ok=True)


ONLY_DATABASE = ("database",)
STEPS = (
    Step("set-up", ONLY_DATABASE, _nothing, _setting_up),
    Step("core", ONLY_DATABASE, _lose_a_record, _measuring),
    Step("database", ONLY_DATABASE, _lose_the_database, _module("database")),
    Step("Parquet", ONLY_DATABASE, _lose_the_database, _writing_parquet),
    Step("site", (), _lose_the_site, _module("publish")),
)


def length(project: Project, step: Step, drawn: random.Random) -> float:
    """The duration of the step in an undisturbed study, in seconds."""
    step.make_due(project, drawn)
    study = project.start(*step.target, *CONFIG)
    begun = _see(project, step, study)
    while step.find(project):
        time.sleep(LOOK_EVERY)
    ended = time.monotonic()
    _, said = study.communicate(timeout=ENDING_SECONDS * 4)
    assert study.returncode == 0, said
    assert begun is not None, f"{step.name} was never seen"
    return ended - begun


def _see(project: Project, step: Step, study: subprocess.Popen) -> float | None:
    """When the step was first seen; None when the study ended before."""
    while not step.find(project):
        if study.poll() is not None:
            return None
        time.sleep(LOOK_EVERY)
    return time.monotonic()


def kill_in(
    project: Project, step: Step, victim: str, drawn: random.Random, seconds: float
) -> Disturbed | None:
    """Kill in the step, within so many seconds after it was seen, and call the study again.

    None when the step had ended by then: nothing was killed, and nothing is counted.
    """
    step.make_due(project, drawn)
    study = project.start(*step.target, *CONFIG)
    begun = _see(project, step, study)
    if begun is None:
        study.communicate()
        return None
    time.sleep(drawn.uniform(0, seconds))
    # stopped first and looked at then, so that the step cannot end in between
    at_work = victims.of_project(project)
    victims.send(at_work, signal.SIGSTOP)
    hit = step.find(project)
    doomed = hit if victim == THE_STEP else victims.find(project, victim)
    kept = project.contents()
    after = time.monotonic() - begun
    if hit and doomed:
        victims.send(doomed, signal.SIGKILL)
    victims.send(at_work, signal.SIGCONT)
    if victim != victims.LAUNCHER or not (hit and doomed):
        study.communicate(timeout=ENDING_SECONDS)
    if not (hit and doomed):
        return None
    # what outlives the launcher must not be waited for: the next call comes at once
    again = project.run(*step.target, *CONFIG)
    found = []
    if again.returncode:
        found.append(f"exit code {again.returncode}: {again.stderr.strip()}")
    found += violations(project, kept, CELLS)
    if "Traceback" in again.stderr:
        found.append(f"a traceback: {again.stderr}")
    if victim == victims.LAUNCHER:
        study.communicate(timeout=ENDING_SECONDS)
    return Disturbed(step.name, victim, after, len(kept), found)
