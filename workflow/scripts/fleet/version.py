"""What decides how a cell is measured and written down, to compare coordinator and host.

A fleet measures with one version only: the same commit, and the same content of every file that has
a part in it. What each machine may have of its own is left out.
"""

import hashlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from places import SCHEMA, commit

# What a record depends on.
FILES = (
    "Snakefile",
    "environment.yml",
    # read from the folder that cargo is called in, which is the project's
    ".cargo/*",
    "rust-toolchain*",
    "core/Cargo.toml",
    "core/Cargo.lock",
    "core/*/Cargo.toml",
    "core/diskbench-core/src/**/*.rs",
    "core/diskimage/src/**/*.rs",
    "core/system/src/**/*.rs",
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
# Where somebody writes down their own machines.
OWN = {"workflow/config/fleet.yaml"}
DIGITS = 12  # of a sum: enough to tell versions of one file apart


@dataclass(frozen=True)
class Version:
    """The commit (empty without git) and the sum of each file that has a part in measuring."""

    commit: str
    files: dict[str, str]

    def as_json(self) -> dict[str, Any]:
        """To be sent."""
        return asdict(self)


def of(project: Path) -> Version:
    """The version that lies in a folder."""
    paths = {path for pattern in FILES for path in project.glob(pattern) if path.is_file()}
    files = {}
    for path in sorted(paths):
        name = path.relative_to(project).as_posix()
        if name not in OWN:
            files[name] = hashlib.sha256(path.read_bytes()).hexdigest()[:DIGITS]
    return Version(commit(project), files)


def difference(coordinator: Version, host: Version) -> str | None:
    """In which way the host differs and what to do there, or None."""
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
    if str(SCHEMA) in names:
        return f"it has another form of records ({SCHEMA}): {_MEND}"
    if names:
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        return f"its {names[0]}{more} is not that of the coordinator: {_MEND}"
    return None


_MEND = (
    "make the two alike (`git status` in both shows what was changed), then start the worker again"
)
