"""git, as another program: how it ended, and why it failed."""

import os
import shutil
import subprocess

from console import ExitCode, StudyError

# what a hook that calls us has set is of its own repository
_OF_HOOKS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")
_REASONS = ("fatal:", "error:", "remote:")

Done = subprocess.CompletedProcess[bytes]


def run(*words: str, given: bytes | None = None, **environment: str) -> Done:
    """Call git. Raises StudyError where there is none."""
    if shutil.which("git") is None:
        raise StudyError(ExitCode.BAD_INPUT, "git is not on PATH: install it, then run again")
    inherited = {name: value for name, value in os.environ.items() if name not in _OF_HOOKS}
    return subprocess.run(
        ["git", *words],
        env=inherited | environment,
        input=given,
        stdin=None if given is not None else subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


def why(done: Done) -> str:
    """Its own reason, in one line."""
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it gives no reason"]
    # what follows the first of these is advice
    return next((line for line in lines if line.startswith(_REASONS)), lines[-1])
