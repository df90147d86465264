"""A Mac that does not exist, for tests; its programs are in ../conftest.py."""

from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path_factory) -> Path:
    """Where a Mac may be made."""
    return tmp_path_factory.mktemp("mac")
