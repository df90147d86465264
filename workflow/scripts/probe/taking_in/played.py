"""Runs the probes on stand-ins of the same release, to compare with a report."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from console import ExitCode, StudyError, say
from places import CORE
from probe import looking
from probe.probes import PROBES
from probe.report import Found
from study.core import cargo_build
from study.machine import STAND_IN

TARGET = CORE.parent
STAND_IN_PROGRAM = "examples/stand_in"


def build() -> None:
    """Build the stand-ins and the core if outdated. Raises StudyError."""
    if not shutil.which("cargo"):
        raise StudyError(
            ExitCode.BAD_INPUT,
            "a report is compared with stand-ins for a Mac, and building them needs Rust, "
            "also where DISKBENCH_CORE is set: install it, then run again",
        )
    if not (TARGET / STAND_IN_PROGRAM).exists():
        say("building the stand-ins for a Mac (the first time this takes about a minute)")
    manifest, target = Path("core/Cargo.toml"), TARGET.parent
    cargo_build("the core", manifest, target, "--bin", "diskbench")
    words = ("--package", "doubles", "--example", "stand_in")
    cargo_build("the stand-ins for a Mac", manifest, target, *words)


def report(version: str, build: str, target: Path) -> Found:
    """What a probe sees of them, without the series and what needs a Mac's own kernel."""
    probes = tuple(one for one in PROBES if not one.of_kernel and one.name != "series")
    # on the project's disk, as the system's temporary folder may be small and in memory
    with tempfile.TemporaryDirectory(dir=target) as temporary:
        programs = Path(temporary) / "programs"
        played = subprocess.run(
            [target / STAND_IN_PROGRAM, "install", programs, "--macos", version, "--build", build],
            check=False,
            capture_output=True,
            text=True,
        )
        if played.returncode != 0:
            raise StudyError(
                ExitCode.BAD_INPUT,
                f"there are no stand-ins for macOS {version}: the report was not compared; what "
                "was filed stays",
            )
        # a release that stand-ins do not imitate, and its substitute
        for line in played.stderr.splitlines():
            say(line)
        with _entered(programs):
            try:
                return looking.look(
                    Path(temporary),
                    (target / "diskbench").resolve(),
                    lambda probe: None,
                    probes=probes,
                )
            except StudyError as error:
                if error.code != ExitCode.NO_SPACE:
                    raise
                raise StudyError(
                    error.code,
                    "a report is compared with stand-ins for a Mac, which needs 5 GB free on "
                    "the project's disk: free some, then run again; what was filed stays",
                ) from error


@contextmanager
def _entered(programs: Path) -> Iterator[None]:
    before = os.environ.get(STAND_IN)
    os.environ[STAND_IN] = str(programs)
    try:
        yield
    finally:
        if before is None:
            del os.environ[STAND_IN]
        else:
            os.environ[STAND_IN] = before
