"""What `workflow/run.sh` calls: one study at a time, one line an error, the documented exit code.

Snakemake ends with 1 whatever went wrong. The step that failed leaves its own code in a file, and
that one is used.
"""

import fcntl
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from console import EXIT_FILE_VARIABLE, ExitCode, StudyError, say

STATE = Path(".diskbench")
PLAN = STATE / "plan.json"
CORE = Path("core/target/release/diskbench")
PROFILE = Path("workflow/profiles/default/profile.yaml")

# Asked to show or explain something, Snakemake speaks for itself; else our own steps do.
SHOWING = {
    *(
        "-n",
        "--dry-run",
        "--dryrun",
        "--lint",
        "-h",
        "--help",
        "-l",
        "--list",
        "--list-rules",
        "--report",
    ),
    *(
        "-S",
        "--summary",
        "-D",
        "--detailed-summary",
        "--dag",
        "--rulegraph",
        "--filegraph",
        "--d3dag",
    ),
    *("-q", "--quiet", "--verbose", "-v", "--version", "-p", "--printshellcmds", "--unlock"),
}


def launch(arguments: list[str]) -> int:
    """Run Snakemake with the user's arguments in the project's folder; returns the exit code."""
    if SHOWING.intersection(arguments):
        return _snakemake(arguments)
    with _only_study():
        try:
            # our lock is let go of however the process ends, so Snakemake's own, which is not, need
            # not be taken
            code = _snakemake([*arguments, "--nolock", "--quiet", "all"])
        finally:
            _sweep()
    if code == ExitCode.UNEXPECTED:
        say("the workflow failed: .diskbench/logs and the newest file in .snakemake/log say why")
    if code == ExitCode.INTERRUPTED:
        say("interrupted: finished records are kept; call the same command again to go on")
    return code


def _snakemake(arguments: list[str]) -> int:
    STATE.mkdir(exist_ok=True)
    exit_file = STATE.resolve() / "exit-code"
    exit_file.unlink(missing_ok=True)
    environment = os.environ | {EXIT_FILE_VARIABLE: str(exit_file)}
    command = ["snakemake", "--workflow-profile", "none", *_profile_options(), *arguments]
    with subprocess.Popen(command, env=environment) as process:
        code, interrupted = _wait_through_interrupts(process)
    if interrupted:
        return ExitCode.INTERRUPTED
    if code == ExitCode.UNEXPECTED and exit_file.exists():
        return int(exit_file.read_text(encoding="utf-8"))
    return code


def _sweep() -> None:
    """Put away the images that this study, or one that was killed, left in the plan's folders."""
    if not (PLAN.exists() and CORE.exists()):
        return
    for storage in json.loads(PLAN.read_text(encoding="utf-8"))["storages"]:
        command = [CORE, "sweep", "--folder", storage["folder"]]
        try:
            subprocess.run(command, check=False, capture_output=True, start_new_session=True)
        except OSError as error:
            say(f"{storage['folder']} was not looked through for leftovers ({error.strerror})")


def _profile_options() -> list[str]:
    """The profile as options, because Snakemake announces a profile on a line of its own."""
    options = []
    for name, value in yaml.safe_load(PROFILE.read_text(encoding="utf-8")).items():
        options.append(f"--{name}" if value is True else f"--{name}={value}")
    return options


def _wait_through_interrupts(process: subprocess.Popen) -> tuple[int, bool]:
    """Ctrl-C reaches Snakemake and the core too, which put their things away: wait for them.

    Returns the exit code, and whether there was a Ctrl-C.
    """
    interrupted = False
    while True:
        try:
            return process.wait(), interrupted
        except KeyboardInterrupt:
            interrupted = True


@contextmanager
def _only_study() -> Iterator[None]:
    """Hold this project's lock; StudyError when another study does, or it cannot be written."""
    try:
        STATE.mkdir(exist_ok=True)
        file = (STATE / "study.lock").open("w", encoding="utf-8")
    except OSError as error:
        raise StudyError(
            ExitCode.FOLDER_UNUSABLE,
            f"the project's folder cannot be written ({error.strerror}): "
            "make it writable, or copy the project to a folder that is",
        ) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise StudyError(
                ExitCode.BUSY,
                "another study runs in this folder: wait for it or stop it, then call again",
            ) from error
        yield
