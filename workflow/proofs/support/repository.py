"""A git repository in a folder of a proof or a test."""

import subprocess
from pathlib import Path


def git(folder: Path, *words: str) -> str:
    """What git says there, as somebody."""
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@localhost", *words]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(folder: Path) -> str:
    """Commit all that is there, as the first commit or one more; its name."""
    git(folder, "init", "--quiet", "--initial-branch", "main")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", folder.name)
    return git(folder, "rev-parse", "HEAD")
