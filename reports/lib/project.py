"""Files of the project that pages quote, besides the database: found from where this file is."""

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
# the C one is ten times as fast, and articles read all protocols
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def text(name: str) -> str:
    """The text of a file, named from the root of the project: `CHANGELOG.md`."""
    return (ROOT / name).read_text(encoding="utf-8")


@cache
def document(name: str) -> dict[str, Any]:
    """What a YAML file says, named in the same way."""
    return yaml.load(text(name), LOADER)


def code(name: str) -> ModuleType:
    """A module of the workflow itself, so that a page cannot differ from it."""
    scripts = str(ROOT / "workflow" / "scripts")
    if scripts not in sys.path:
        sys.path.append(scripts)
    return importlib.import_module(name)


def constant(file: str, name: str) -> float:
    """A number where the code defines it: `NAME = 1` in Python, `const NAME: u64 = 1` in Rust."""
    before = r"^(?:pub(?:\(crate\))? )?(?:const )?"
    found = re.search(rf"{before}{name}(?:: \w+)? = ([\d_.]+);?$", text(file), re.M)
    if found is None:
        raise LookupError(f"{file} does not define {name}, which a page shows")
    return float(found[1])
