"""An empty project to send records from, and to take them in."""

from pathlib import Path

import pytest

from contribution import submitting, taking

PROJECT = Path(__file__).parents[3]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty project, with the schema and without a core."""
    (tmp_path / "workflow").symlink_to(PROJECT / "workflow")
    monkeypatch.chdir(tmp_path)
    for module in (submitting, taking):
        monkeypatch.setattr(module, "CORE", None)
    return tmp_path
