"""A Mac that does not exist, for tests: the stand-in's programs and the core, built when they are not."""

import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def target() -> Path:
    """The folder of cargo's profile, with the core and the stand-in."""
    build = ["cargo", "build", "--locked", "--quiet", "--manifest-path", "core/Cargo.toml"]
    build += ["--target-dir", "core/target", "--bin", "diskbench", "--example", "stand_in"]
    subprocess.run(build, cwd=PROJECT, check=True)
    return (PROJECT / "core" / "target" / "debug").resolve()


@pytest.fixture
def folder(tmp_path_factory) -> Path:
    """Where a Mac may be made."""
    return tmp_path_factory.mktemp("mac")
