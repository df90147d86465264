"""Checks the dependencies: hashes, registries, licences, vulnerabilities.

Usage: bash workflow/prove.sh supply [--offline] [--rustsec FOLDER] [--save]
  --offline          fetches no lists of known vulnerabilities (RustSec, PyPI, npm)
  --rustsec FOLDER   a clone of github.com/RustSec/advisory-db, where that cannot be reached
  --save             keeps the figures in data/proofs/security.json
Exit codes: 0 nothing found (sources that cannot be reached are named), 1 something found, 2 a
  tool is missing, 4 no network to fetch it.

The first run installs cargo-deny and pip-audit into .diskbench/tools.
"""

import argparse
import os
import subprocess
from pathlib import Path

import console
from proofs.supply import advisories, checks, licences, locks
from proofs.supply.advisories import Asked
from proofs.supply.locks import Dependency
from proofs.support import goals, proof
from proofs.support.proof import PROJECT, Figure

INSTALL = Path(__file__).with_name("install.sh")
TOOLS = PROJECT / ".diskbench" / "tools"
AUDIT = str(TOOLS / "audit")
DENY = TOOLS / "bin" / "cargo-deny"
MANIFESTS = ("core/Cargo.toml", "core/fuzz/Cargo.toml")
PYTHON_LOCKS = tuple(lock for lock in locks.LOCKS if lock.endswith(".txt"))
NPM = "reports/assets/query"


def main(words: list[str]) -> int:
    """Look at everything; 1 when there is a finding."""
    parser = proof.arguments("supply")
    parser.add_argument("--offline", action="store_true")
    parser.add_argument("--rustsec", type=Path, metavar="FOLDER")
    asked = parser.parse_args(words)
    installed = subprocess.run(["bash", INSTALL], cwd=PROJECT, check=False).returncode
    if installed:
        return installed
    # for the programs that this one starts
    os.environ["PYTHONPATH"] = os.pathsep.join((os.environ["PYTHONPATH"], AUDIT))
    dependencies = locks.every(PROJECT)
    without = checks.without_hash(dependencies)
    elsewhere = list(checks.not_from_the_registry(PROJECT))
    unlike = licences.refused(dependencies, licences.allowed(PROJECT)) + _deny()
    told = _ask(asked)
    for line in (*without, *elsewhere, *unlike):
        console.say(line)
    for one in told:
        for fault in one.faults:
            console.say(f"{one.who}: {fault}")
        if one.silent:
            console.say(f"{one.who}: vulnerability list not queried, {one.silent}")
    figures = _figures(dependencies, without, elsewhere, unlike, told)
    for figure in figures:
        print(f"{figure.value:5g}  {figure.what}")
    proof.keep(asked, "security", "What diskbench depends on", figures)
    found = without or elsewhere or unlike or any(one.faults for one in told)
    return console.ExitCode.UNEXPECTED if found else console.ExitCode.DONE


def _deny() -> list[str]:
    """Licences, sources and bans of crates, as cargo deny sees them."""
    found = []
    for manifest in MANIFESTS:
        command = [DENY, "--manifest-path", manifest, "--config", "core/deny.toml", "--locked"]
        command += ["check", "--hide-inclusion-graph", "licenses", "bans", "sources"]
        told = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
        if told.returncode:
            lines = [line for line in told.stderr.splitlines() if line.startswith("error")]
            found += [f"{manifest}: {line}" for line in lines or ["cargo deny failed"]]
    return found


def _ask(asked: argparse.Namespace) -> list[Asked]:
    """What is known to be faulty, list by list."""
    fetch = not asked.offline
    return [
        *(advisories.rust(PROJECT, DENY, one, asked.rustsec, fetch) for one in MANIFESTS),
        *(advisories.python(PROJECT, lock, fetch) for lock in PYTHON_LOCKS),
        advisories.npm(PROJECT, NPM, fetch),
    ]


def _figures(
    dependencies: list[Dependency],
    without: list[str],
    elsewhere: list[str],
    unlike: list[str],
    told: list[Asked],
) -> list[Figure]:
    kinds = {"cargo": "crates", "pypi": "Python packages", "npm": "npm packages"}
    counted = [
        Figure(f"{name} in the lock files", sum(one.ecosystem == kind for one in dependencies))
        for kind, name in kinds.items()
    ]
    asked = [
        _none(f"known vulnerabilities, according to {one.who}", len(one.faults))
        for one in told
        if not one.silent
    ]
    silent = [one.who for one in told if one.silent]
    named = f" ({'; '.join(silent)})" if silent else ""
    return [
        *counted,
        _none("dependencies without a hash", len(without)),
        _none("places that name a package index", len(elsewhere)),
        _none("dependencies whose licence is neither allowed nor checked", len(unlike)),
        Figure("packages whose licence was checked by hand, with a reason", len(licences.CHECKED)),
        *asked,
        Figure(f"vulnerability lists that were not queried{named}", len(silent)),
    ]


def _none(what: str, count: int) -> Figure:
    return proof.counted(what, count, "", goals.NONE)
