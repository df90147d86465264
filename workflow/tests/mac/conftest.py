"""A simulated Mac for tests; its programs are in ../conftest.py."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from proofs.support import core

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def memory() -> Iterator[Path]:
    """A folder in memory if possible: programs are tested, not the disk."""
    with tempfile.TemporaryDirectory(dir=core.MEMORY) as folder:
        yield Path(folder)


@pytest.fixture
def folder(memory) -> Path:
    """Where a Mac may be made."""
    return Path(tempfile.mkdtemp(dir=memory))
