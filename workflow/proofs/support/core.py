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
    _build("--bin", "diskbench")
    # by themselves: with them the program would have the features that are for tests
    if examples:
        _build(*(word for example in examples for word in ("--example", example)))


def build_doubles() -> None:
    """Build the program, and what tests run in the place of others (core/doubles)."""
    build()
    # by itself: with the program, cargo would compile all that the core's tests need, too
    _build("--package", "doubles", "--examples")


def _build(*words: str) -> None:
    command = ["cargo", "build", "--release", "--locked", "--manifest-path", "core/Cargo.toml"]
    subprocess.run([*command, "--target-dir", "core/target", *words], check=True, cwd=PROJECT)
