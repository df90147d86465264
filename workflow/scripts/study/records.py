"""The existing records: which cells are done, and how fast this host was."""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import record as record_file
from record_files import superseded

# a thousand times the fastest disks: faster records are implausible
FASTEST_BYTES_PER_SECOND = 10**13


def read(path: Path, root: Path) -> dict[str, Any] | None:
    """A record in the folder of records; None if it is missing or damaged."""
    try:
        record = record_file.read(path, root)
    except record_file.DamageError:
        return None
    return record if _has_what_is_asked(record) else None


def _has_what_is_asked(record: dict[str, Any]) -> bool:
    """Whether it has the keys used here: a correct checksum does not prove who wrote it."""
    cell, samples = record.get("cell"), record.get("samples")
    phases = cell.get("phases", []) if isinstance(cell, dict) else None
    return (
        isinstance(phases, list)
        and all(isinstance(phase, dict) and "phase" in phase for phase in phases)
        and isinstance(samples, list)
        and all(isinstance(one, dict) and _is_count(one, "size_bytes") for one in samples)
        and all(_is_count(one, "elapsed_ns") for one in samples)
        and "status" in record
    )


def _is_count(sample: dict[str, Any], key: str) -> bool:
    return isinstance(sample.get(key), int) and sample[key] >= 0


def last_result(path: Path, root: Path) -> Path:
    """The file of a cell's last result: the record at `path` below `root`, unless a measurement
    has failed, or was skipped, since that was measured.

    Such a result is kept beside the measured one (superseding.py), and is in no table.
    """
    asides = superseded(path)
    active = read(path, root) if asides else None
    if active is None or active["status"] != "measured":
        return path
    results = [(_started(active), path)]
    for aside in asides:
        result = read(aside, root)
        if result and result["status"] != "measured":
            results.append((_started(result), aside))
    # the first of several with the same time
    return max(results, key=lambda one: one[0])[1]


def _started(record: dict[str, Any]) -> str:
    # a record is not trusted to have it
    return str(record.get("started_utc"))


def other_facts(
    folder: Path, root: Path, here: dict[str, Any], left_out: Collection[str]
) -> list[str]:
    """How the machine of the records in `folder` below `root` differs from these facts, in words.

    By the first intact one, without those left out: the others are of the same machine.
    """
    paths = record_file.paths(folder) if here else []
    records = (record for _, record in _counting(paths, root, left_out))
    host = next((record.get("host") for record in records), None)
    if not isinstance(host, dict):
        return []
    return [
        f"{name.removesuffix('_bytes')} {_fact(host[name])}, here {_fact(fact)}"
        for name, fact in here.items()
        if host.get(name) not in (None, fact)
    ]


def of_storage(folder: Path, root: Path, slug: str, left_out: Collection[str]) -> Path | None:
    """A measured record of a storage in the folder of a host's release, without those left out.

    Smoke scale counts for nothing: it may have been tried on any disk.
    """
    paths = (
        path
        for path in record_file.paths(folder)
        if path.relative_to(folder).parts[1:2] == (slug,)
        and not record_file.is_smoke(path.relative_to(root).as_posix())
    )
    found = _counting(paths, root, left_out)
    return next((path for path, record in found if record["status"] == "measured"), None)


def _counting(
    paths: Iterable[Path], root: Path, left_out: Collection[str]
) -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in paths:
        if path.relative_to(root).as_posix() not in left_out and (record := read(path, root)):
            yield path, record


def _fact(value: Any) -> str:
    return f"{value / 2**30:.0f} GB" if isinstance(value, int) else record_file.shorten(str(value))


def must_measure(
    path: Path, root: Path, cell: dict[str, Any], retry: list[str], *, withdrawn: bool
) -> bool:
    """Whether a cell must be measured, by its record at `path` below `root`.

    It must if there is no record, if the cell of its last result has other parameters or an older
    epoch, if the user retries that result's status, or if that result was withdrawn. A damaged
    record is reported and never overwritten: it may be all that remains of a long run.
    """
    if not path.exists():
        return True
    last = last_result(path, root)
    if withdrawn and last == path:
        return True
    record = read(last, root)
    if record is None:
        return False
    return (
        _until_measured(record["cell"]) != _until_measured(cell)
        or _is_of_an_older_epoch(record)
        or record["status"] in retry
    )


def _is_of_an_older_epoch(record: dict[str, Any]) -> bool:
    harness = record.get("harness")
    epoch = harness.get("epoch") if isinstance(harness, dict) else None
    return isinstance(epoch, int) and epoch < record_file.HARNESS_EPOCH


def _until_measured(cell: dict[str, Any]) -> dict[str, Any]:
    """A cell without the phases after its own, which do not affect it.

    So a study with all phases of an image continues after one with fewer, and measures nothing
    again.
    """
    phases = cell.get("phases", [])
    names = [phase["phase"] for phase in phases]
    if cell.get("phase") not in names:
        return cell
    return cell | {"phases": phases[: names.index(cell["phase"]) + 1]}


def rate_bytes_per_second(runs: Path, host: str) -> int | None:
    """Bytes / time of everything measured on this host so far; None if nothing was."""
    size_bytes = elapsed_ns = 0
    for path in record_file.paths(runs / host):
        for sample in (read(path, runs) or {}).get("samples", []):
            size_bytes += sample["size_bytes"]
            elapsed_ns += sample["elapsed_ns"]
    rate = size_bytes * 1_000_000_000 // elapsed_ns if elapsed_ns else 0
    # records are not trusted, and must not prevent planning
    return rate if 0 < rate <= FASTEST_BYTES_PER_SECOND else None
