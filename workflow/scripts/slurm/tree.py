"""The project, carried to a node as it stood when the call began.

A node works in a checkout of its own, on its own disk. In one that all nodes share, they would take
each other's lock, plan, core and image files; and what Snakemake and cargo do in a folder that is
shared is work on somebody else's disk while ours is measured. A job may wait for days: it still
finds the tree of its call, whatever was edited meanwhile.
"""

import json
import subprocess
import tarfile
from pathlib import Path

from console import ExitCode, StudyError

# Made by the login node: nodes may have neither a network nor the hours to make it again.
SHARED = (".venv", ".conda")

# In a checkout: the names of the files that came with the tree, and so a mark that it is ours.
CARRIED = Path(".diskbench/carried.json")

# Records travel by delivery.py alone.
RECORDS = "data/runs/"


def files(project: Path) -> list[str]:
    """What belongs to the project: what git has or would have, edited or not, but for records."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    except OSError:
        listed = None
    if listed is None or listed.returncode:
        raise StudyError(
            ExitCode.BAD_INPUT,
            "git cannot tell which files belong to the project: install git, and call this in a "
            "clone",
        )
    names = dict.fromkeys(filter(None, listed.stdout.split("\0")))
    return sorted(
        name for name in names if not name.startswith(RECORDS) and (project / name).is_file()
    )


def pack(project: Path, archive: Path) -> None:
    """Write the project's files to an archive, with their times: cargo and Snakemake go by them."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive, "w") as tar:
        for name in files(project):
            tar.add(project / name, arcname=name)


def unpack(archive: Path, checkout: Path, project: Path) -> None:
    """Bring a node's checkout to the state of the archive; what it measured and built stays.

    Raises StudyError when there is something else in its place.
    """
    mark = checkout / CARRIED
    if checkout.exists() and any(checkout.iterdir()) and not mark.is_file():
        raise StudyError(
            ExitCode.FOLDER_UNUSABLE,
            f"{checkout} holds something else than a checkout of diskbench: "
            "name another folder for this node in workflow/config/slurm.yaml",
        )
    mark.parent.mkdir(parents=True, exist_ok=True)
    before = set(json.loads(mark.read_text(encoding="utf-8"))) if mark.is_file() else set()
    with tarfile.open(archive) as tar:
        now = set(tar.getnames())
        # named before they are there, so that a call that is killed here leaves nothing nameless
        _write(mark, sorted(before | now))
        for name in before - now:
            (checkout / name).unlink(missing_ok=True)
        # the archive is our own; the filter is asked for where Python has it (3.11.4 or later)
        tar.extractall(checkout, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    _write(mark, sorted(now))
    for name in SHARED:
        link = checkout / name
        if link.is_symlink():
            link.unlink()
        if (project / name).exists() and not link.exists():
            link.symlink_to(project / name)


def _write(path: Path, names: list[str]) -> None:
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(names), encoding="utf-8")
    partial.replace(path)
