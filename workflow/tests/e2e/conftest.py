"""Runs the real workflow in a copy of the project, from end to end."""

from pathlib import Path

import alone
import pytest

from proofs.support.project import Project, make_fresh


@pytest.fixture(scope="session")
def fresh(tmp_path_factory) -> Project:
    """The project as git has it, or would have it, with the native cells of its study only."""
    return make_fresh(tmp_path_factory.mktemp("e2e") / "project")


@pytest.fixture(scope="session")
def measured(fresh) -> Project:
    """The project after `run.sh database`: without a network, where the system allows that."""
    done = fresh.run("database", environment=somebodys(fresh), before=alone.prefix())
    assert done.returncode == 0, done.stderr
    return fresh


@pytest.fixture
def project(measured, tmp_path) -> Project:
    """The same, for a test to spoil: it has a database and no site."""
    return measured.copy(tmp_path / "project")


@pytest.fixture(scope="session")
def studied(measured) -> Project:
    """The project after `bash workflow/run.sh`, in the same way."""
    done = measured.run(environment=somebodys(measured), before=alone.prefix())
    assert done.returncode == 0, done.stderr
    return measured


@pytest.fixture(scope="session")
def small(studied, tmp_path_factory) -> Project:
    """A studied project whose site is one page, so that it is quickly made again."""
    project = studied.copy(tmp_path_factory.mktemp("small") / "project")
    project.render_only("index.qmd")
    done = project.run()
    assert done.returncode == 0, done.stderr
    return project


@pytest.fixture
def spoilable(small, tmp_path) -> Project:
    """The same, for a test to spoil."""
    return small.copy(tmp_path / "project")


@pytest.fixture(scope="session")
def portable(fresh, tmp_path_factory) -> Project:
    """A project in which only usage-phases was measured, on three images."""
    project = fresh.copy(tmp_path_factory.mktemp("portable") / "project")
    project.forget()
    project.render_only("index.qmd", "hosts.qmd", "this-machine.qmd", "data.qmd")
    done = project.run(
        *("--config", "protocols=[usage-phases]"),
        "matrix=[{driver: portable, formats: [UDSB, UDSP], encryptions: [AES-256]},"
        " {driver: portable, formats: [ASIF], encryptions: [none]}]",
        environment=somebodys(project),
        before=alone.prefix(),
    )
    assert done.returncode == 0, done.stderr
    assert "9 of 9 cells measured, 0 skipped, 0 failed" in done.stderr
    return project


def somebodys(project: Project) -> dict[str, str]:
    """The environment of a person whose name and home cannot be missed; cargo is where it was."""
    home = project.folder / "tmp" / alone.PERSON
    home.mkdir(parents=True, exist_ok=True)
    real = Path.home()
    tools = {"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup"}
    return (
        {name: str(real / folder) for name, folder in tools.items()}
        | project.environment()
        | {"HOME": str(home), "USER": alone.PERSON, "LOGNAME": alone.PERSON}
    )
