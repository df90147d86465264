"""An empty project to send records from, and to import them."""

from pathlib import Path

import pytest
from sent import SCHEMA, record, save

from contribution import check

PROJECT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def no_core(monkeypatch):
    """No core judges the records, and the schema is there from wherever a test calls."""
    monkeypatch.setattr(check, "CORE", None)
    monkeypatch.setattr(check, "SCHEMA", SCHEMA)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty project."""
    (tmp_path / "workflow").symlink_to(PROJECT / "workflow")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def folder(tmp_path):
    """Two good records."""
    save(record(), tmp_path / "sent")
    save(record(2, encryption="AES-256"), tmp_path / "sent")
    return tmp_path / "sent"
