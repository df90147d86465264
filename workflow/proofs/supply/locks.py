"""Reads the lock files: every dependency by name and version, with its hashes."""

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# One dependency of a requirements.txt that pip or uv wrote: `name==version ; marker \` and below it
# its hashes.
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)")
HASH = re.compile(r"--hash=(sha256:[0-9a-f]{64})")

LOCKS = (
    "core/Cargo.lock",
    "core/fuzz/Cargo.lock",
    "workflow/requirements.txt",
    "workflow/requirements-audit.txt",
    "workflow/requirements-fleet.txt",
    "reports/assets/query/package-lock.json",
)


@dataclass(frozen=True)
class Dependency:
    """A package of `ecosystem` (`cargo`, `pypi`, `npm`), as `lock` has it.

    `hashes` are those of each file that may be taken for it, as the lock writes them. `licence` is
    what the lock itself says of it.
    """

    ecosystem: str
    name: str
    version: str
    hashes: tuple[str, ...]
    lock: str
    licence: str | None = None


def every(project: Path) -> list[Dependency]:
    """Every dependency of every lock, in their order."""
    return [one for lock in LOCKS for one in read(project, lock)]


def read(project: Path, lock: str) -> Iterator[Dependency]:
    """The dependencies of one lock."""
    text = (project / lock).read_text(encoding="utf-8")
    if lock.endswith("Cargo.lock"):
        yield from _cargo(text, lock)
    elif lock.endswith(".json"):
        yield from _npm(text, lock)
    else:
        yield from _python(text, lock)


def _cargo(text: str, lock: str) -> Iterator[Dependency]:
    for package in tomllib.loads(text)["package"]:
        # one of this project's own has no source
        if "source" in package:
            checksum = package.get("checksum")
            hashes = (checksum,) if checksum else ()
            yield Dependency("cargo", package["name"], package["version"], hashes, lock)


def _python(text: str, lock: str) -> Iterator[Dependency]:
    logical = text.replace("\\\n", " ")
    for line in logical.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        # what is neither pinned nor a comment has a name without a version, and so no hash
        pinned = PINNED.match(line)
        name, version = pinned.groups() if pinned else (line.strip(), "")
        yield Dependency("pypi", name, version, tuple(HASH.findall(line)), lock)


def _npm(text: str, lock: str) -> Iterator[Dependency]:
    for place, package in json.loads(text)["packages"].items():
        if not place:  # the project itself
            continue
        name = place.rpartition("node_modules/")[2]
        hashes = tuple(package.get("integrity", "").split())
        yield Dependency("npm", name, package["version"], hashes, lock, package.get("license"))
