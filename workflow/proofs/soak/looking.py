"""Checks after a kill and a second call: every violation is one line."""

import fcntl
import json
from pathlib import Path

from proofs.support import victims
from proofs.support.project import Contents, Project


def violations(project: Project, kept: Contents, planned: int) -> list[str]:
    """What is not as it must be once the second call has ended.

    kept: the records that were there at the kill. planned: how many there must be in the end.
    """
    found = [*of_records(project, kept, planned), *_of_the_database(project)]
    return [*found, *_left_over(project), *_at_work(project), *_locked(project)]


def of_records(project: Project, kept: Contents, planned: int) -> list[str]:
    """Whether each that was kept is as it was, and all that are planned are measured."""
    now = project.contents()
    found = [f"lost: {path.name}" for path in kept if path not in now]
    found += [
        f"measured twice: {path.name}" for path in kept if path in now and now[path] != kept[path]
    ]
    found += [f"set aside: {path.name}" for path in _below(project, "data/runs", "*.superseded-*")]
    measured = [json.loads(content)["status"] == "measured" for content in now.values()]
    if measured != [True] * planned:
        found.append(f"{sum(measured)} of {planned} cells measured")
    return found


def _of_the_database(project: Project) -> list[str]:
    """Each file of each record is one row, with its time; and there are no others."""
    on_disk = []
    for content in project.contents().values():
        record = json.loads(content)
        times = [sample["elapsed_ns"] for sample in record["samples"]]
        on_disk.append((record["started_utc"], record["status"], len(times), sum(times)))
    in_tables = project.query(
        """
        select
            strftime(cell.started_utc, '%Y-%m-%dT%H:%M:%SZ'), cell.status,
            count(sample.elapsed_ns), coalesce(sum(sample.elapsed_ns), 0)::bigint
        from cell left join sample using (cell)
        group by cell.cell, cell.started_utc, cell.status
        """
    )
    if sorted(on_disk) == sorted(in_tables):
        return []
    return [f"the database holds {sorted(in_tables)}, the records {sorted(on_disk)}"]


def _left_over(project: Project) -> list[str]:
    """Images, and files that stood in for others while those were made."""
    left = _below(project, ".diskbench/work", "*")
    for pattern in ("*.partial", "*.building-*", "*.tmp"):
        left += _below(project, "data", pattern) + _below(project, ".diskbench", pattern)
    left += _below(project, ".diskbench", "running")
    return [f"left over: {path.relative_to(project.folder)}" for path in left]


def _at_work(project: Project) -> list[str]:
    at_work = map(victims.words_of, victims.of_project(project))
    return [f"still at work: {' '.join(words)[:80]}" for words in at_work if words]


def _locked(project: Project) -> list[str]:
    """Locks that a dead process left: the launcher's and the core's."""
    found = []
    locks = [project.folder / ".diskbench" / "study.lock"]
    locks += (project.folder / "tmp").glob("diskbench-measuring-*.lock")
    for path in locks:
        with path.open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                found.append(f"locked: {path.name}")
    return found


def _below(project: Project, folder: str, pattern: str) -> list[Path]:
    return sorted((project.folder / folder).rglob(pattern))
