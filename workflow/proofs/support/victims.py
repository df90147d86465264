"""The processes of one study in a copy of the project, and killing some of them at once."""

import os
import signal
from collections.abc import Callable
from contextlib import suppress

import psutil

from proofs.support.project import Project

EVERYTHING = "everything"
SNAKEMAKE = "Snakemake"
CORE = "the core"
LAUNCHER = "the launcher"
# whether a command line is that of a victim
_IS: dict[str, Callable[[list[str]], bool]] = {
    EVERYTHING: lambda _: True,
    SNAKEMAKE: lambda words: words[1:3] == ["-m", "study.snakemake_logged"],
    CORE: lambda words: words[1:2] == ["run"] and words[0].endswith("release/diskbench"),
    # while it sets up it is still a shell
    LAUNCHER: lambda words: (
        words[2:4] == ["study.__main__", "launch"] or "workflow/run.sh" in words
    ),
}


def of_project(project: Project) -> list[psutil.Process]:
    """Every process in this copy's folder, except zombies."""
    folder = str(project.folder.resolve())
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.cwd() == folder and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def find(project: Project, victim: str) -> list[psutil.Process]:
    """The processes of a victim."""
    return [process for process in of_project(project) if _IS[victim](words_of(process))]


def kill(found: list[psutil.Process]) -> int:
    """SIGKILL to all of these at once; returns how many of them were still there."""
    found = [process for process in found if _lives(process)]
    # stopped first, so that none of them sees another one die
    for number in (signal.SIGSTOP, signal.SIGKILL):
        send(found, number)
    return len(found)


def send(found: list[psutil.Process], number: signal.Signals) -> None:
    """A signal to each of these that is still there."""
    for process in found:
        with suppress(ProcessLookupError):
            os.kill(process.pid, number)


def _lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def words_of(process: psutil.Process) -> list[str]:
    """Its command line; nothing of one that is gone."""
    try:
        return process.cmdline()
    except psutil.Error:
        return []
