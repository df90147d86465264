"""Makes the tables of some hosts from their records, with the SQL of the whole database.

A batch fits into memory whatever the number of records. The rows of a host do not depend on its
batch.
"""

import logging
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb

from console import StudyError, is_full
from database import load, parquet, parts, records
from database.load import Input
from database.records import Record, Refused
from database.sources import Host
from record import DamageError

LOG = logging.getLogger(__name__)

# text of records in one batch, about a thousand records; the process needs some eight times as
# much memory
BATCH_BYTES = 60_000_000

# errors of SQL and statistics for unusable values
CALCULATION_ERRORS = (StudyError, duckdb.Error, ArithmeticError, ValueError)


@dataclass(frozen=True)
class Built:
    """A database with the rows of some hosts, and the number of records of each."""

    database: Path
    loaded: dict[str, int]


def batches(hosts: Iterable[Host]) -> Iterator[list[Host]]:
    """Hosts in order, as many per batch as fit; a host is never split."""
    batch: list[Host] = []
    for host in hosts:
        if batch and sum(one.size_bytes for one in batch) + host.size_bytes > BATCH_BYTES:
            yield batch
            batch = []
        batch.append(host)
    if batch:
        yield batch


def build(given: Input, hosts: list[Host], folder: Path, files: Path) -> Built:
    """Build the tables of these hosts in a database in `folder`, and their Parquet in `files`."""
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
        load.raw_tables(connection, given, accepted, refused)
        load.objects(connection, given.sql)


def _loadable(
    given: Input, accepted: list[Record], refused: list[Refused], folder: Path
) -> list[Record]:
    """The records that can be loaded; the others are refused by name.

    The last defence against unforeseen values: the last record of the shortest failing prefix of
    the list causes the failure, alone or with earlier ones.
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
        raise error  # the project's own input failed, not a record
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
