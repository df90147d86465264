"""A program of the workflow, called as run.sh calls it."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"


def called(
    *words: str | Path,
    cwd: Path | None = None,
    stdout: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
    **environment: str,
) -> subprocess.CompletedProcess:
    """Python with these words to its end, with the modules of the workflow."""
    return subprocess.run(
        [sys.executable, *words],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(SCRIPTS)} | environment,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        text=True,
        check=False,
    )
