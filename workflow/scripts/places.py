"""Paths in the project's folder, which is the working directory of every command."""

import subprocess
from pathlib import Path

CORE = Path("core/target/release/diskbench")
SCHEMA = Path("workflow/schemas/record.schema.json")
SQL = Path("workflow/sql")
PUBLISHED = Path("data/published")
DATABASE = Path("data/diskbench.duckdb")


def commit(project: Path = Path()) -> str:
    """The commit of the project in a folder; empty without git, or where it is no clone."""
    return git("rev-parse", "HEAD", project=project)


def git(*words: str, project: Path = Path()) -> str:
    """The answer of git about the project in a folder; empty without one, or without git."""
    try:
        told = subprocess.run(
            ["git", *words], cwd=project, capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return told.stdout.strip() if told.returncode == 0 else ""
