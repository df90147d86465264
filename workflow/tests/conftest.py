"""Shared fixtures: stand-ins for a Mac's programs, gates, and grouping of tests for parallel runs."""

import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

sys.path.insert(0, str(Path(__file__).parent))
# what tests of one room share, which has a name that no other room has
sys.path += [str(room) for room in sorted(Path(__file__).parent.iterdir()) if room.is_dir()]

from gate import Gate

from proofs.support import core

PROJECT = Path(__file__).resolve().parents[2]
# With several workers (`pytest -n 2`) each of these rooms stays on one: its tests share what takes long to make, such as
# rendered sites and measured studies. Of other rooms each file does, wherever there is time.
TOGETHER = {"publish", "e2e", "mac", "images", "hosted"}


class Rooms(LoadScopeScheduling):
    """Shares tests out to the workers, those of a file to the same one, and of some rooms all."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        room = Path(file).parent.name
        return room if room in TOGETHER else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Rooms:
    """How `pytest -n` shares the tests out."""
    return Rooms(config, log)


def pytest_configure(config: pytest.Config) -> None:
    """Let programs that tests start heed signals also under `nohup`, or in the background of a shell.

    There some are ignored, which programs inherit; a handler that does nothing they do not.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    # what stands in there for a program in tests of every room: cargo
    os.environ["PATH"] = f"{Path(__file__).parent / 'programs'}:{os.environ['PATH']}"


@pytest.fixture(autouse=True)
def heeded() -> Iterator[None]:
    """Have interrupts heeded after a test as before it: `console.run` ignores them in the end."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def target() -> Path:
    """The folder of cargo's profile, with the core and the stand-in, built when they are not.

    The release profile: beside the tests here, cargo compiles the core's own for minutes, in the other.
    """
    core.build_doubles()
    return (PROJECT / core.RELEASE).resolve()


@pytest.fixture(scope="session")
def memory() -> Iterator[Path]:
    """A folder in memory if possible, where programs are tested and not the disk."""
    with tempfile.TemporaryDirectory(dir=core.MEMORY) as folder:
        yield Path(folder)


@pytest.fixture
def folder(memory: Path) -> Iterator[Path]:
    """One there for a test."""
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def faults() -> Path:
    """The library that makes calls of the system fail or wait (core/doubles/examples/faults)."""
    if sys.platform != "linux":
        pytest.skip("a program can be held at a call on Linux only: run this test there")
    core.build_doubles()
    return (PROJECT / core.RELEASE).resolve() / "examples" / "libfaults.so"


@pytest.fixture
def gate(faults: Path, tmp_path: Path) -> Callable[[str, int, Path], Gate]:
    """Make a gate at the so many-th call of a kind below a folder, in any process."""
    return lambda kind, number, under: Gate(tmp_path / "gate", faults, kind, number, under)
