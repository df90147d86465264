"""The core's release build, and its work folder in memory."""

import subprocess
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]
RELEASE = Path("core/target/release")

_MEMORY = Path("/dev/shm")
# where nothing else is asked for; None is the system's folder for temporary files
MEMORY = _MEMORY if _MEMORY.exists() else None


def build(*examples: str) -> None:
    """Build the program into `RELEASE`, and these examples of it."""
    command = ["cargo", "build", "--release", "--locked", "--manifest-path", "core/Cargo.toml"]
    command += ["--target-dir", "core/target", "--bin", "diskbench"]
    command += [word for example in examples for word in ("--example", example)]
    subprocess.run(command, check=True, cwd=PROJECT)
