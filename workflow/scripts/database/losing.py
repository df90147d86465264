"""Refuses to replace a database of records by an empty one, unless requested, and reports fewer.

A disconnected disk, or a clone without its records, looks like a project in which nothing was
measured.
"""

from collections.abc import Mapping
from pathlib import Path

from console import ExitCode, StudyError, say


def refuse_lost_place(runs: Path, database: Path) -> None:
    """Raise StudyError (folder unusable) if the folder of records is a broken link, not a folder,
    or empty although the database has records."""
    if runs.is_dir():
        if not any(runs.iterdir()):
            refuse_no_records(runs, database)
    elif runs.is_symlink() or runs.exists():
        leads = runs.is_symlink()
        why = f"leads to {runs.readlink()}, which does not exist" if leads else "is no folder"
        raise StudyError(
            ExitCode.FOLDER_UNUSABLE,
            f"{runs} {why}: restore its disk or folder, or remove {runs} to start over",
        )
    else:
        refuse_no_records(runs, database)


def refuse_no_records(runs: Path, database: Path) -> None:
    """Raise StudyError (folder unusable) if the database has records but `runs` has none that can
    be loaded."""
    records = _count(database)
    if records:
        raise StudyError(
            ExitCode.FOLDER_UNUSABLE,
            f"{runs} has no record that can be loaded, and {database} was made from {records}: "
            f"restore the records, or delete {database} to start over",
        )


def report_fewer(before: Mapping[str, int], now: Mapping[str, int]) -> None:
    """Print how many records the last build loaded more than this one, by host, if any."""
    lost = {host: count - now.get(host, 0) for host, count in before.items()}
    lost = {host: count for host, count in lost.items() if count > 0}
    if lost:
        each = ", ".join(f"{host} {count}" for host, count in sorted(lost.items()))
        say(f"{sum(lost.values())} records fewer than in the last build: {each}")


def _count(database: Path) -> int:
    if not database.exists():
        return 0
    # imported here: it takes a quarter of a second in every call
    import duckdb

    try:
        with duckdb.connect(str(database), read_only=True) as connection:
            [(records,)] = connection.execute("select count(*) from cell").fetchall()
    except duckdb.Error:
        return 0  # nothing can be lost
    return records
