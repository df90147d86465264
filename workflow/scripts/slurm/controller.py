"""Slurm itself, asked through its own programs: the state of nodes and jobs."""

import os
import shutil
import subprocess
from dataclasses import dataclass

from console import ExitCode, StudyError
from record import first_line

PROGRAMS = ("sbatch", "scancel", "scontrol", "sinfo", "squeue", "srun")

SECONDS = 60  # a controller that is busy may take some; sbatch itself waits as long

# States of a node in which a job for it would wait, and nobody knows how long. Slurm adds marks to
# a state: * does not answer; the others are of saving power, restarting, planning.
DOWN = ("DOWN", "DRAIN", "FAIL", "ERROR", "UNKNOWN", "FUTURE", "NO_RESPOND", "INVAL")
MARKS = "*~#!%$@^-+"

# A job that is one of these is not over yet.
ACTIVE = ("PENDING", "RUNNING", "CONFIGURING", "COMPLETING", "SUSPENDED", "STOPPED", "REQUEUED")


@dataclass(frozen=True)
class Job:
    """A job: its number, the node that it asks for, its state and why it is in it."""

    number: str
    node: str
    state: str
    reason: str

    @property
    def active(self) -> bool:
        """Whether it waits or runs."""
        return self.state in ACTIVE


def environment() -> dict[str, str]:
    """Ours without Slurm's variables.

    The plugin drops them too, so that a SLURM_CONF does not reach a job: what works here with it
    would fail there. Inside a job they would make sbatch take that job's limits.
    """
    return {key: value for key, value in os.environ.items() if not key.startswith("SLURM")}


def require() -> None:
    """StudyError where Slurm's programs are missing or its controller does not answer."""
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        raise StudyError(
            ExitCode.BAD_INPUT,
            f"Slurm is not here ({', '.join(missing)} missing): call this on a login node of the "
            "cluster, or measure this machine alone with bash workflow/run.sh",
        )
    _ask("scontrol", "ping")


def states(names: list[str]) -> dict[str, tuple[str, str]]:
    """State and reason (empty if none) of each of these nodes that Slurm knows."""
    said = _ask("sinfo", "--noheader", "--Node", "--format=%N|%T|%E", f"--nodes={','.join(names)}")
    found = {}
    for line in said.splitlines():
        name, state, reason = (part.strip() for part in line.split("|", 2))
        found[name] = (state.upper(), "" if reason == "none" else reason)
    return found


def is_down(state: str) -> bool:
    """Whether no job can begin on a node in this state."""
    return "*" in state or state.strip(MARKS).startswith(DOWN)


def jobs(prefix: str) -> list[Job]:
    """The jobs of this user whose names begin so, also those that ended a while ago."""
    said = _ask("squeue", "--me", "--noheader", "--states=all", "--format=%i|%j|%n|%T|%r")
    found = []
    for line in said.splitlines():
        number, name, node, state, reason = (part.strip() for part in line.split("|", 4))
        if name.startswith(prefix):
            found.append(Job(number, node, state, reason))
    return found


def cancel(numbers: list[str]) -> None:
    """End these jobs; one that is over already is fine."""
    if numbers:
        subprocess.run(
            ["scancel", *numbers],
            env=environment(),
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )


def _ask(*command: str) -> str:
    try:
        done = subprocess.run(
            command,
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        why = first_line(Exception(done.stderr.strip() or f"{command[0]} failed"))
        failed = done.returncode != 0
    except subprocess.TimeoutExpired:
        failed, why = True, f"{command[0]} took more than {SECONDS} s"
    if failed:
        set_aside = " (SLURM_CONF is not handed on to jobs: put slurm.conf at its default place)"
        raise StudyError(
            ExitCode.UNEXPECTED,
            f"Slurm does not answer ({why}){set_aside if 'SLURM_CONF' in os.environ else ''}: "
            "see what sinfo says, then call again",
        )
    return done.stdout
