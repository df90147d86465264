"""A Mac that does not exist, for tests: the stand-in's programs and the core, built when they are not."""

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.harness import MEMORY

PROJECT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def target() -> Path:
    """The folder of cargo's profile, with the core and the stand-in."""
    build = ["cargo", "build", "--locked", "--quiet", "--manifest-path", "core/Cargo.toml"]
    build += ["--target-dir", "core/target", "--bin", "diskbench", "--example", "stand_in"]
    subprocess.run(build, cwd=PROJECT, check=True)
    return (PROJECT / "core" / "target" / "debug").resolve()


@pytest.fixture(scope="session")
def memory() -> Iterator[Path]:
    """A folder in memory where there is one: what is looked at is the programs, not the disk."""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.exists() else None) as folder:
        yield Path(folder)


@pytest.fixture
def folder(memory) -> Path:
    """Where a Mac may be made."""
    return Path(tempfile.mkdtemp(dir=memory))
