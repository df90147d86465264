"""Shared fixtures of the study's tests: config, protocols, and a simulated machine."""

import copy
import hashlib
import json
from pathlib import Path

import pytest
import yaml

from study.cells import Machine, plan_cells
from study.config import checked_study

STUDY = Path(__file__).resolve().parents[2] / "config" / "study.yaml"


@pytest.fixture(scope="session")
def shipped():
    return yaml.safe_load(STUDY.read_text(encoding="utf-8"))


@pytest.fixture
def study(shipped):
    """The config as it is shipped; a test may change its copy."""
    return copy.deepcopy(shipped)


@pytest.fixture(scope="session")
def cells_of():
    """A way to plan a config on a machine: its cells, in order."""
    return lambda config, machine: plan_cells(checked_study(config), machine)


@pytest.fixture
def machine():
    return Machine("some-host", "some-os-1-2", native_encryption="none", image_driver="portable")


@pytest.fixture
def signed():
    """Gives a record's text with its checksum, made as the design says: sorted keys, no spaces."""

    def sign(record):
        canonical = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return json.dumps(record | {"sha256": hashlib.sha256(canonical.encode()).hexdigest()})

    return sign
