"""The tables of some hosts, made from their records alone by the same SQL as everything.

A batch is small enough for memory whatever the number of records. What comes of a host's records
does not depend on the batch that it is in.
"""

import logging
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb

from console import StudyError, is_full
from database import load, parquet, parts, records
from database.published import Figures
from database.records import Record, Refused
from database.sources import Host
from record import DamageError

LOG = logging.getLogger(__name__)

# Text of records in one batch, a thousand of the study's; a process that makes all of them into
# tables holds some eight times as much.
BATCH_BYTES = 60_000_000

# What SQL and statistics fail with where a value is one that they cannot take.
CALCULATION_ERRORS = (StudyError, duckdb.Error, ArithmeticError, ValueError)


@dataclass(frozen=True)
class Input:
    """What all batches are made from."""

    runs: Path
    sql: Path
    schema: Path
    core: Path | None
    figures: Figures
    probes: Path = load.PROBES


@dataclass(frozen=True)
class Built:
    """A database with the rows of some hosts, and how many records of each are in it."""

    database: Path
    loaded: dict[str, int]


def batches(hosts: Iterable[Host], limit: int = BATCH_BYTES) -> Iterator[list[Host]]:
    """The hosts in their order, as many in a batch as fit; a host is never divided."""
    batch: list[Host] = []
    for host in hosts:
        if batch and sum(one.size_bytes for one in batch) + host.size_bytes > limit:
            yield batch
            batch = []
        batch.append(host)
    if batch:
        yield batch


def build(given: Input, hosts: list[Host], folder: Path, files: Path) -> Built:
    """Make the tables of these hosts in a database in `folder`, and their Parquet in `files`."""
    path = Path(tempfile.mkdtemp(dir=folder)) / "batch.duckdb"
    names = [name for host in hosts for name in host.files]
    accepted, refused = records.read(given.runs, given.schema, names, given.core)
    try:
        _tables(given, path, accepted, refused)
    except CALCULATION_ERRORS as error:
        if is_full(error):
            raise
        accepted = _loadable(given, accepted, refused, path.parent)
        path.unlink(missing_ok=True)
        _tables(given, path, accepted, refused)
    loaded = {host.name: 0 for host in hosts}
    for record in accepted:
        loaded[record.cell.partition("/")[0]] += 1
    del accepted
    with load.database(path) as connection:
        in_parts = parts.parted(connection)
        for table in in_parts:
            parquet.write_hosts(connection, table, files)
    return Built(path, loaded)


def _tables(given: Input, path: Path, accepted: list[Record], refused: list[Refused]) -> None:
    with load.database(path) as connection:
        load.raw_tables(connection, given.figures, accepted, refused, given.probes, given.runs)
        load.objects(connection, given.sql)


def _loadable(
    given: Input, accepted: list[Record], refused: list[Refused], folder: Path
) -> list[Record]:
    """Those records that the tables can be made of; the others are refused by name.

    The last defence, for values that nobody thought of: the shortest beginning of the list that
    fails ends with a record that is to blame, alone or together with those before it.
    """

    def fails(beginning: list[Record]) -> StudyError | Exception | None:
        trial = folder / "trial.duckdb"
        try:
            _tables(given, trial, beginning, [])
        except CALCULATION_ERRORS as error:
            if is_full(error):
                raise
            return error
        finally:
            trial.unlink(missing_ok=True)
        return None

    if error := fails([]):
        raise error  # the project's own: no record is to blame
    while error := fails(accepted):
        whole, failing = 0, len(accepted)
        while failing - whole > 1:
            middle = (whole + failing) // 2
            if found := fails(accepted[:middle]):
                failing, error = middle, found
            else:
                whole = middle
        blamed = accepted[whole]
        LOG.warning("%s: %s", blamed.cell, error)
        damage = DamageError("the tables cannot be made with its values")
        refused.append(records.refusal(f"{blamed.cell}.json", damage))
        accepted = accepted[:whole] + accepted[whole + 1 :]
    return accepted
