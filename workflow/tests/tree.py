"""The files of a folder or a project, to check what changed."""

import hashlib
import os
from pathlib import Path

# What may change: the launcher's lock, the exit code of the last call and the plan that was shown; logs; Snakemake's own
# log of each call, its locks, and what it notes of a dry run about times of files; temporary files. Python's caches are
# not to be written (PYTHONDONTWRITEBYTECODE). Everything else is held: names, contents, links, and whether it is a file
# or a folder.
MAY_CHANGE = (
    ".diskbench/logs/",
    ".diskbench/study.lock",
    ".diskbench/exit-code",
    ".diskbench/shown-plan.json",
    ".snakemake/log/",
    ".snakemake/iocache/",
    ".snakemake/locks/",
    "tmp/",
)


def below(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, as it is."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def tree(folder: Path) -> dict[str, str]:
    """Each name below a project's folder with a word for what it is; what links lead to is not followed."""
    found = {}
    for inside, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(inside) / name
            relative = path.relative_to(folder).as_posix()
            if f"{relative}/".startswith(MAY_CHANGE) or relative in MAY_CHANGE:
                continue
            if path.is_symlink():
                found[relative] = str(path.readlink())
            elif path.is_file():
                found[relative] = hashlib.sha256(path.read_bytes()).hexdigest()
            else:
                found[relative] = "folder"
    return found
