"""What tests of several rooms share: the programs that stand in for a Mac's, and who runs beside whom."""

import subprocess
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

PROJECT = Path(__file__).resolve().parents[2]
# With several workers (`pytest -n 2`) a group stays on one: the tests of the pages share rendered sites, and of those
# that run the study only one may measure at a time. Tests of a room that is not named here go wherever there is time.
GROUPS = {
    "publish": "pages",
    **dict.fromkeys(("bench", "e2e", "images", "mac", "study"), "machine"),
}


class Groups(LoadScopeScheduling):
    """Shares tests out to the workers, those of a group to the same one."""

    def _split_scope(self, nodeid: str) -> str:
        room = Path(nodeid.partition("::")[0]).parent.name
        return GROUPS.get(room, nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Groups:
    """How `pytest -n` shares the tests out."""
    return Groups(config, log)


@pytest.fixture(scope="session")
def target() -> Path:
    """The folder of cargo's profile, with the core and the stand-in, built when they are not."""
    build = ["cargo", "build", "--locked", "--quiet", "--manifest-path", "core/Cargo.toml"]
    build += ["--target-dir", "core/target", "--bin", "diskbench", "--example", "stand_in"]
    subprocess.run(build, cwd=PROJECT, check=True)
    return (PROJECT / "core" / "target" / "debug").resolve()
