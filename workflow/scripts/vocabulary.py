"""The words of the study: formats, encryptions, phases, protocols, hosts, storages, reasons."""

from pathlib import Path
from typing import Any

import strict_yaml

FILE = Path(__file__).resolve().parents[1] / "config" / "vocabulary.yaml"
PROTOCOLS = {file.stem: file for file in sorted(FILE.parent.glob("protocols/*.yaml"))}

_WORDS = strict_yaml.read_yaml(FILE)

FORMATS: dict[str, dict[str, Any]] = _WORDS["formats"]
ENCRYPTIONS: dict[str, dict[str, Any]] = _WORDS["encryptions"]
PHASES: dict[str, dict[str, Any]] = _WORDS["phases"]
STATES: dict[str, dict[str, Any]] = _WORDS["states"]
HOSTS: dict[str, dict[str, Any]] = _WORDS["hosts"]
STORAGES: dict[str, dict[str, Any]] = _WORDS["storages"]
REASONS: dict[str, dict[str, str]] = _WORDS["reasons"]
# codes of warnings, each with a pattern for warnings without a code
WARNINGS: dict[str, str] = _WORDS["warnings"]
