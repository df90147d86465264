"""`python -m supply`: what this project is made from is looked at, and told; see audit.sh."""

import argparse
import subprocess
import sys
from pathlib import Path

import console
from arguments import Parser
from bench import proof
from bench.proof import Figure
from supply import advisories, checks, licences, locks
from supply.advisories import Asked
from supply.locks import Dependency

PROJECT = Path(__file__).resolve().parents[3]
MANIFESTS = ("core/Cargo.toml", "core/fuzz/Cargo.toml")
PYTHON_LOCKS = tuple(lock for lock in locks.LOCKS if lock.endswith(".txt"))
NPM = "reports/assets/query"
BILL = PROJECT / ".diskbench" / "sbom.cdx.json"


def arguments() -> argparse.Namespace:
    """What was asked on the command line."""
    parser = Parser(prog="bash workflow/audit.sh", description=__doc__)
    parser.add_argument("--offline", action="store_true", help="ask nobody for known faults")
    parser.add_argument(
        "--rustsec", type=Path, metavar="FOLDER", help="a clone of RustSec's advisory-db to ask"
    )
    parser.add_argument(
        "--save",
        action=proof.Save,
        default=False,
        help="keep the figures in data/proofs/security.json",
    )
    parser.add_argument("--deny", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> int:
    """Look at everything; 1 when there is a finding."""
    asked = arguments()
    if asked.deny is None:
        return console.ExitCode.DONE  # audit.sh has the rest checked before it installs anything
    # which is one of the things that it installs
    from supply import sbom

    dependencies = locks.every(PROJECT)
    without = checks.without_hash(dependencies)
    elsewhere = list(checks.not_from_the_registry(PROJECT))
    unlike = licences.refused(dependencies, licences.allowed(PROJECT)) + _deny(asked.deny)
    told = _ask(asked)
    for line in (*without, *elsewhere, *unlike):
        console.say(line)
    for one in told:
        for fault in one.faults:
            console.say(f"{one.who}: {fault}")
        if one.silent:
            console.say(f"{one.who}: known faults not asked for, {one.silent}")
    version = proof.version()
    sbom.write(BILL, version, dependencies, _licences(dependencies))
    figures = _figures(dependencies, without, elsewhere, unlike, told)
    for figure in figures:
        print(f"{figure.value:5g}  {figure.what}")
    print(f"bill of materials (CycloneDX 1.6): {BILL.relative_to(PROJECT)}")
    if asked.save:
        words = sys.argv[1:]
        at = words.index("--deny")  # audit.sh's own, and its value
        command = proof.typed("bash workflow/audit.sh", words[:at] + words[at + 2 :])
        proof.save("security", "What diskbench is made from", command, figures)
    found = without or elsewhere or unlike or any(one.faults for one in told)
    return console.ExitCode.UNEXPECTED if found else console.ExitCode.DONE


def _deny(deny: Path) -> list[str]:
    """Licences, sources and bans of crates, as cargo deny sees them."""
    found = []
    for manifest in MANIFESTS:
        command = [deny, "--manifest-path", manifest, "--config", "core/deny.toml", "--locked"]
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
        *(advisories.rust(PROJECT, asked.deny, one, asked.rustsec, fetch) for one in MANIFESTS),
        *(advisories.python(PROJECT, lock, fetch) for lock in PYTHON_LOCKS),
        advisories.npm(PROJECT, NPM, fetch),
    ]


def _licences(dependencies: list[Dependency]) -> dict[Dependency, str]:
    crates = {
        known: told
        for manifest in MANIFESTS
        for known, told in licences.of_crates(PROJECT, manifest).items()
    }
    found = {}
    for one in dependencies:
        told = (
            crates.get((one.name, one.version))
            if one.ecosystem == "cargo"
            else licences.licence(one)
        )
        if told:
            found[one] = told.replace("/", " OR ")
    return found


def _figures(
    dependencies: list[Dependency],
    without: list[str],
    elsewhere: list[str],
    unlike: list[str],
    told: list[Asked],
) -> list[Figure]:
    kinds = {"cargo": "crates", "pypi": "packages of Python", "npm": "packages of npm"}
    counted = [
        Figure(f"{name} in the lock files", sum(one.ecosystem == kind for one in dependencies))
        for kind, name in kinds.items()
    ]
    asked = [
        _none(f"known faults, as told by {one.who}", len(one.faults))
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
        Figure(f"lists of known faults that were not asked{named}", len(silent)),
    ]


def _none(what: str, count: int) -> Figure:
    return Figure(what, count, goal="0", reached=count == 0)


if __name__ == "__main__":
    console.run(main)
