"""Files of the project that pages quote, found relative to this file."""

import importlib
import re
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
REPORTS = ROOT / "reports"
# the C loader is ten times as fast, and articles' pages read all protocols
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def text(name: str) -> str:
    """The text of a file, with a path from the project's root: `CHANGELOG.md`."""
    return (ROOT / name).read_text(encoding="utf-8")


@cache
def document(name: str) -> dict[str, Any]:
    """The contents of a YAML file, with a path from the project's root."""
    return yaml.load(text(name), LOADER)


def code(name: str) -> ModuleType:
    """A module of the workflow, so that pages share its code."""
    scripts = str(ROOT / "workflow" / "scripts")
    if scripts not in sys.path:
        sys.path.append(scripts)
    return importlib.import_module(name)


def constant(file: str, name: str) -> float:
    """A number defined in code: `NAME = 1` in Python, `const NAME: u64 = 1` in Rust."""
    before = r"^(?:pub(?:\(crate\))? )?(?:const )?"
    [number] = re.findall(rf"{before}{name}(?:: \w+)? = ([\d_.]+);?$", text(file), re.M)
    return float(number)
