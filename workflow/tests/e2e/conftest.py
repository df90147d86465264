"""A copy of the project in a temporary folder, and the real workflow run in it from end to end."""

import pytest

from soak.project import Project, make_fresh


@pytest.fixture(scope="session")
def fresh(tmp_path_factory) -> Project:
    """The project as git has it, or would have it, with the native cells of its study only."""
    return make_fresh(tmp_path_factory.mktemp("e2e") / "project")


@pytest.fixture(scope="session")
def measured(fresh) -> Project:
    """The project after `bash workflow/run.sh database`."""
    done = fresh.run("database")
    assert done.returncode == 0, done.stderr
    return fresh


@pytest.fixture(scope="session")
def studied(measured) -> Project:
    """The project after `bash workflow/run.sh`."""
    done = measured.run()
    assert done.returncode == 0, done.stderr
    return measured


@pytest.fixture
def spoilable(studied, tmp_path) -> Project:
    """A studied project that a test may spoil."""
    return studied.copy(tmp_path / "project")
