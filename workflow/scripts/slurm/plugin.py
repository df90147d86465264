"""Snakemake's plugin for Slurm, in a folder of its own: nothing else of the project loads it."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from console import ExitCode, StudyError, say
from study.config import WORKFLOW

LOCK = WORKFLOW / "requirements-slurm.txt"
FOLDER = Path(".diskbench/tools/slurm")
LOG = Path(".diskbench/logs/slurm-install.log")


def installed(folder: Path = FOLDER, lock: Path = LOCK) -> Path:
    """The folder with the plugin as it is locked, made once. Raises StudyError."""
    wanted = hashlib.sha256(lock.read_bytes()).hexdigest()
    made_from = folder / "made-from"
    if made_from.is_file() and made_from.read_text(encoding="utf-8") == wanted:
        return folder.resolve()
    say("installing Snakemake's plugin for Slurm into .diskbench/tools (once)")
    shutil.rmtree(folder, ignore_errors=True)
    command = [sys.executable, "-m", "uv", "pip", "install", "--system-certs", "--quiet"]
    command += ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--no-cache"]
    command += ["--target", str(folder), "--requirement", str(lock)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    LOG.parent.mkdir(parents=True, exist_ok=True)
    LOG.write_text(done.stdout + done.stderr, encoding="utf-8")
    if done.returncode:
        raise StudyError(
            ExitCode.BAD_INPUT,
            f"Snakemake's plugin for Slurm could not be installed ({LOG} has the details): "
            "call this once where there is a network, then again",
        )
    made_from.write_text(wanted, encoding="utf-8")
    return folder.resolve()
