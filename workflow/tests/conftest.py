"""What tests of several rooms share: the programs that stand in for a Mac's."""

import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def target() -> Path:
    """The folder of cargo's profile, with the core and the stand-in, built when they are not."""
    build = ["cargo", "build", "--locked", "--quiet", "--manifest-path", "core/Cargo.toml"]
    build += ["--target-dir", "core/target", "--bin", "diskbench", "--example", "stand_in"]
    subprocess.run(build, cwd=PROJECT, check=True)
    return (PROJECT / "core" / "target" / "debug").resolve()
