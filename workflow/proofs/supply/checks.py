"""Checks of dependencies without a network: a line for each exception."""

import re
from collections.abc import Iterator
from pathlib import Path

from proofs.supply.locks import LOCKS, Dependency

# Files that say where packages come from, or could.
SETTINGS = (
    "environment.yml",
    "core/Cargo.toml",
    "core/diskbench-core/Cargo.toml",
    "core/diskimage/Cargo.toml",
    "core/system/Cargo.toml",
    "core/fuzz/Cargo.toml",
    "reports/assets/query/package.json",
    "reports/assets/query/.npmrc",
    "workflow/pyproject.toml",
    "workflow/setup.sh",
    "workflow/proofs/supply/install.sh",
    "workflow/prove.sh",
    "workflow/proofs/fuzz.sh",
    "workflow/proofs/mac_build.sh",
    "reports/lib/engine.py",
)

# What names an index, a registry or a place in it: options of pip and uv, keys of npm and cargo.
INDEX = re.compile(
    r"--(?:extra-)?index-url|--default-index|--find-links|\bindex-url\s*=|\bregistry\s*=|\[source\."
    r"|\"resolved\"\s*:|@\s*https?://|git\+|\bgit\s*=\s*\"",
)
# The name that cargo itself gives its one registry in a lock; a mirror is
# configured elsewhere and keeps that name.
CRATES = 'source = "registry+https://github.com/rust-lang/crates.io-index"'


def without_hash(dependencies: list[Dependency]) -> list[str]:
    """Dependencies without a hash."""
    return [
        f"{one.lock}: {one.name} {one.version} has no hash"
        for one in dependencies
        if not one.hashes
    ]


def not_from_the_registry(project: Path) -> Iterator[str]:
    """Places where a file names an index, or a source that is not a registry."""
    for name in dict.fromkeys((*LOCKS, *SETTINGS)):
        text = (project / name).read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), start=1):
            other = line.startswith("source = ") and line != CRATES
            if other or INDEX.search(line):
                yield f"{name}:{number}: names where packages come from: {line.strip()}"
