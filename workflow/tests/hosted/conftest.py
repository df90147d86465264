"""A git copy of the project in which the hosted runners' commands run with test doubles."""

import os
import subprocess
from pathlib import Path

import pytest

from proofs.support.project import LONGEST_SECONDS, Project, as_git_has_it
from proofs.support.repository import commit, git

RECORD = '#!/bin/bash\necho "${0##*/} $*" >>"$DOUBLE_CALLS"\n'


class Runner:
    """A machine on which commands are called in a copy, and doubles of programs record their calls."""

    def __init__(self, project: Project, place: Path):
        self.project = project
        self.summary = place / "summary.md"
        self._calls = place / "calls"
        self._doubles = place / "doubles"
        self._doubles.mkdir()
        self._calls.touch()
        self.summary.touch()
        environment = project.environment()
        # which .ci/run sets for these very tests
        environment.pop("CONDA_DEFAULT_ENV", None)
        self._environment = environment | {
            "PATH": f"{self._doubles}:{environment.get('PATH', os.environ['PATH'])}",
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "DOUBLE_CALLS": str(self._calls),
        }

    def git(self, *words: str) -> str:
        """What git says in the copy."""
        return git(self.project.folder, *words)

    def double(self, name: str, script: str = "") -> None:
        """Have a program replaced by one that records its call, and does no more than this."""
        path = self._doubles / name
        path.write_text(f"{RECORD}{script}", encoding="utf-8")
        path.chmod(0o755)

    def calls(self) -> list[str]:
        """Every call of a double so far, in order."""
        return self._calls.read_text(encoding="utf-8").splitlines()

    def call(self, *words: str, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess:
        """A command of .ci, as a step calls it."""
        return subprocess.run(
            [*before, "bash", *words],
            cwd=self.project.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LONGEST_SECONDS,
        )


@pytest.fixture(scope="session")
def clone(tmp_path_factory) -> Project:
    """The project as a runner gets it; its tests would be these very ones, and only record their call."""
    project = as_git_has_it(tmp_path_factory.mktemp("hosted") / "project")
    (project.folder / "workflow" / "test.sh").write_text(RECORD, encoding="utf-8")
    commit(project.folder)
    return project


@pytest.fixture
def checked_out(clone) -> Project:
    """The same, as if it had just been checked out."""
    git(clone.folder, "checkout", "--quiet", "--force", "main")
    git(clone.folder, "clean", "--quiet", "-ffdx", "--exclude=/.venv", "--exclude=/core/target")
    return clone


@pytest.fixture
def runner(checked_out, tmp_path) -> Runner:
    """A hosted Linux."""
    return Runner(checked_out, tmp_path)
