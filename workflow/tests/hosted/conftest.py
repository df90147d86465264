"""A copy of the project, in git, in which jobs of hosted runners are played."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from proofs.support.project import (
    Project,
    as_git_has_it,
    fetch_no_engine,
    measure_native_only,
)

sys.path.insert(0, str(Path(__file__).parent))

import played
from played import git

# What takes long and is looked at elsewhere: file, what stands there, and what instead.
SHORTER = (
    ("study/scales.py", "size_divisor=200", "size_divisor=4000"),
    ("probe/probes/taking.py", "\nTRIES = 200", "\nTRIES = 6"),
    ("probe/probes/taking.py", "LEAST_TRIES = 100", "LEAST_TRIES = 6"),
)


@pytest.fixture(scope="session")
def clone(tmp_path_factory) -> Project:
    """The project as a runner gets it, but with few pages, and without what takes long."""
    project = as_git_has_it(tmp_path_factory.mktemp("hosted") / "project")
    (project.folder / played.TESTS).write_text(f"#!/bin/bash\n{played.RECORD}", encoding="utf-8")
    for name, there, instead in SHORTER:
        path = project.folder / "workflow" / "scripts" / name
        text = path.read_text(encoding="utf-8")
        assert text.count(there) == 1
        path.write_text(text.replace(there, instead), encoding="utf-8")
    fetch_no_engine(project.folder)
    project.render_only("index.qmd", "hosts.qmd")
    git(project, "init", "--quiet", "--initial-branch", "main")
    git(project, "add", ".")
    git(project, "commit", "--quiet", "--message", "what is pushed")
    return project


@pytest.fixture
def checked_out(clone) -> Project:
    """The same, as if it had just been checked out."""
    git(clone, "checkout", "--quiet", "--force", "main")
    git(clone, "clean", "--quiet", "-ffdx", "--exclude=/.venv", "--exclude=/core/target")
    return clone


@pytest.fixture
def runner(checked_out, tmp_path) -> played.Runner:
    """A hosted Linux."""
    return played.Runner(checked_out, tmp_path, checked_out.environment())


@pytest.fixture
def native_only(checked_out) -> Project:
    """The copy, whose studies measure no images."""
    measure_native_only(checked_out.folder)
    return checked_out


@pytest.fixture
def job() -> Callable[..., played.Job]:
    """The one job that fits: its workflow, its name, and values of its matrix."""

    def find(workflow: str, name: str, **matrix: str) -> played.Job:
        (found,) = [
            one
            for one in played.jobs()
            if (one.workflow, one.name) == (workflow, name) and matrix.items() <= one.matrix.items()
        ]
        return found

    return find
