"""Builds database and pages of a folder's records with the commands of the workflow.

In the folder: `runs`; `diskbench.duckdb` and `parquet` once built; `reports` and what pages quote.
"""

import sys
from pathlib import Path

from proofs.support import core
from proofs.support.proof import PROJECT


def database(home: Path, *, made_up: bool = False) -> list[str]:
    """The command that builds the database, and ends with an error where a record is refused.

    made_up: the core, which asks for its own order of the files, does not judge the records.
    """
    judge = [] if made_up else ["--core", PROJECT / core.RELEASE / "diskbench"]
    return _python(
        "database", "build",
        "--runs", home / "runs",
        "--published", PROJECT / "data" / "published",
        "--sql", PROJECT / "workflow" / "sql",
        "--schema", PROJECT / "workflow" / "schemas" / "record.schema.json",
        "--probes", PROJECT / "data" / "probes",
        *judge,
        "--strict",
        "--database", home / "diskbench.duckdb",
        "--parquet", home / "parquet",
    )  # fmt: skip


def pages(home: Path) -> tuple[list[str], dict[str, str]]:
    """The command that renders the pages, and what it needs of the environment."""
    words = _python("publish", "--reports", home / "reports", "--plain")
    return words, {"DISKBENCH_DATABASE": str(home / "diskbench.duckdb")}


def _python(module: str, *words: str | Path) -> list[str]:
    return [sys.executable, "-m", module, *map(str, words)]
