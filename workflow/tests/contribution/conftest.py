"""An empty project to send records from, and to import them."""

from pathlib import Path

import pytest
from sent import record, save

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


@pytest.fixture
def folder(tmp_path):
    """Two good records."""
    save(record(), tmp_path / "sent")
    save(record(2, longer=9, encryption="AES-256"), tmp_path / "sent")
    return tmp_path / "sent"
