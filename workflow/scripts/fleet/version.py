"""Compares the versions of coordinator and host that affect measurements and records.

A fleet measures with one version: the same commit, and equal contents of every file involved.
Files that may differ between machines are left out.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from places import commit

# files that affect a record
FILES = (
    "Snakefile",
    "environment.yml",
    # cargo reads it from the project's folder
    ".cargo/*",
    "rust-toolchain*",
    "core/Cargo.toml",
    "core/Cargo.lock",
    "core/*/Cargo.toml",
    "core/diskbench-core/src/**/*.rs",
    "core/diskimage/src/**/*.rs",
    "core/system/src/**/*.rs",
    "data/withdrawn.csv",
    "workflow/run.sh",
    "workflow/setup.sh",
    "workflow/requirements.txt",
    "workflow/config/**/*.yaml",
    "workflow/profiles/default/*.yaml",
    "workflow/rules/*.smk",
    "workflow/schemas/*.json",
    "workflow/scripts/*.py",
    "workflow/scripts/study/*.py",
    "workflow/scripts/fleet/*.py",
)
# the user's own machines
OWN = {"workflow/config/fleet.yaml"}
DIGITS = 12  # digits of a checksum: enough to distinguish versions of one file


@dataclass(frozen=True)
class Version:
    """The commit (empty without git) and the checksum of each file that affects measurements."""

    commit: str
    files: dict[str, str]


def of(project: Path) -> Version:
    """The version of the project in a folder."""
    paths = {path for pattern in FILES for path in project.glob(pattern) if path.is_file()}
    files = {}
    for path in sorted(paths):
        name = path.relative_to(project).as_posix()
        if name not in OWN:
            files[name] = hashlib.sha256(path.read_bytes()).hexdigest()[:DIGITS]
    return Version(commit(project), files)


def difference(coordinator: Version, host: Version) -> str | None:
    """How the host differs and the next step there, or None."""
    if bool(coordinator.commit) != bool(host.commit):
        where, what = ("it", "worker") if coordinator.commit else ("the coordinator", "coordinator")
        return (
            f"git names no commit of {where}: install git there, and use a clone of the project; "
            f"then start the {what} again"
        )
    if coordinator.commit != host.commit:
        wanted = coordinator.commit[:10]
        return (
            f"it has commit {host.commit[:10]} and the coordinator {wanted}: there, call "
            f"`git fetch && git checkout {wanted}`, then the worker again"
        )
    names = [
        name
        for name in sorted(coordinator.files | host.files)
        if coordinator.files.get(name) != host.files.get(name)
    ]
    if names:
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        return (
            f"its {names[0]}{more} is not that of the coordinator: make the two alike (`git "
            "status` in both shows what was changed), then start the worker again"
        )
    return None
