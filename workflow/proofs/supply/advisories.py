"""Known vulnerabilities of the dependencies, from RustSec, PyPI and npm.

Each is asked through its own program. Who cannot be reached is named, and is no finding.
"""

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from console import ExitCode, StudyError

OFFLINE = "as --offline asks for"
# What cargo deny calls its copy of github.com/RustSec/advisory-db.
RUSTSEC = "advisory-db-3157b0e258782691"
PATIENCE = 600  # seconds; a list that is fetched for the first time is some megabytes


@dataclass(frozen=True)
class Asked:
    """What a list of faults said: a line for each fault, or why it said nothing."""

    who: str
    faults: list[str] = field(default_factory=list)
    silent: str | None = None


def rust(project: Path, deny: Path, manifest: str, clone: Path | None, fetch: bool) -> Asked:
    """RustSec's, through cargo deny: fetched, or a clone of its repository."""
    told = f"RustSec, {manifest}"
    config, more = Path("core/deny.toml"), []
    if clone is not None:
        config, day = _with_clone(project, clone)
        told, more = f"{told}, as of {day}", ["--offline"]
    elif not fetch:
        return Asked(told, silent=OFFLINE)
    command = [deny, *more, "--format", "json", "--manifest-path", manifest, "--config", config]
    command += ["--locked", "check", "--hide-inclusion-graph", "advisories"]
    ended = _run(command, project)
    said = [json.loads(line) for line in ended.stderr.splitlines() if line.startswith("{")]
    found = [
        f"{one['fields']['message']} ({one['fields']['code']})"
        for one in said
        if one["type"] == "diagnostic"
        and one["fields"].get("code")
        and one["fields"].get("severity") == "error"
    ]
    if ended.returncode and not found:
        return Asked(told, silent="its list could not be had")
    return Asked(told, found)


def _with_clone(project: Path, clone: Path) -> tuple[Path, str]:
    """The same settings, with a copy of the list where cargo deny looks for it; the list's day."""
    place = project / ".diskbench" / "audit"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    done = _run(["git", "clone", "--quiet", clone.resolve(), place / RUSTSEC], project)
    if done.returncode:
        raise StudyError(
            ExitCode.BAD_INPUT,
            f"{clone} is no clone of RustSec's advisory-db: give one with --rustsec",
        )
    day = _run(["git", "log", "-1", "--format=%cs"], place / RUSTSEC).stdout.strip()
    settings = (project / "core" / "deny.toml").read_text(encoding="utf-8")
    copy = place / "deny.toml"
    copy.write_text(
        settings.replace("[advisories]", f'[advisories]\ndb-path = "{place}"', 1), encoding="utf-8"
    )
    return copy, day


def python(project: Path, lock: str, fetch: bool) -> Asked:
    """PyPI's, through pip-audit."""
    who = f"PyPI, {lock}"
    if not fetch:
        return Asked(who, silent=OFFLINE)
    command = [sys.executable, "-m", "pip_audit", "--require-hashes", "--disable-pip"]
    command += ["--format=json", "--progress-spinner=off", "--requirement", lock]
    told = _run(command, project)
    try:
        packages = json.loads(told.stdout)["dependencies"]
    except (ValueError, KeyError):
        return Asked(who, silent="it could not be reached")
    faults = [
        f"{one['name']} {one['version']}: {fault['id']}"
        for one in packages
        for fault in one.get("vulns", [])
    ]
    # a mirror may hand out packages, and know nothing of them
    unknown = sum("skip_reason" in one for one in packages)
    silent = f"it told nothing of {unknown} of {len(packages)} packages" if unknown else None
    return Asked(who, faults, silent)


def npm(project: Path, folder: str, fetch: bool) -> Asked:
    """npm's own."""
    who = f"npm, {folder}"
    if not fetch:
        return Asked(who, silent=OFFLINE)
    told = _run(["npm", "audit", "--json", "--package-lock-only"], project / folder)
    try:
        found = json.loads(told.stdout)["vulnerabilities"]
    except (ValueError, KeyError):
        return Asked(who, silent="its registry tells of no faults, or could not be reached")
    return Asked(who, [f"{name}: {one['severity']}" for name, one in found.items()])


def _run(command: list[str | Path], folder: Path) -> subprocess.CompletedProcess:
    try:
        return subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return subprocess.CompletedProcess(command, 1, "", "")
