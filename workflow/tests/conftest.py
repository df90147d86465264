"""What tests of several rooms share: the programs that stand in for a Mac's, and who runs beside whom."""

import subprocess
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

PROJECT = Path(__file__).resolve().parents[2]
# With several workers (`pytest -n 2`) each of these rooms stays on one: its tests share what takes long to make, such as
# rendered sites and measured studies. Tests of other rooms go wherever there is time.
TOGETHER = {"publish", "e2e", "mac", "images"}


class Rooms(LoadScopeScheduling):
    """Shares tests out to the workers, those of some rooms to the same one."""

    def _split_scope(self, nodeid: str) -> str:
        room = Path(nodeid.partition("::")[0]).parent.name
        return room if room in TOGETHER else nodeid


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Rooms:
    """How `pytest -n` shares the tests out."""
    return Rooms(config, log)


@pytest.fixture(scope="session")
def target() -> Path:
    """The folder of cargo's profile, with the core and the stand-in, built when they are not."""
    build = ["cargo", "build", "--locked", "--quiet", "--manifest-path", "core/Cargo.toml"]
    build += ["--target-dir", "core/target", "--bin", "diskbench", "--example", "stand_in"]
    subprocess.run(build, cwd=PROJECT, check=True)
    return (PROJECT / "core" / "target" / "debug").resolve()
