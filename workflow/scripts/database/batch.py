"""Makes the tables of some hosts from their records, with the SQL of the whole database.

A batch fits into memory whatever the number of records. The rows of a host do not depend on its
batch.
"""

import contextlib
import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb

from console import StudyError, is_full
from database import load, parquet, parts, records
from database.load import Connection, Input
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
    """An open database with the rows of some hosts, and the number of records of each."""

    connection: Connection
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


@contextlib.contextmanager
def build(given: Input, hosts: list[Host], path: Path, files: Path) -> Iterator[Built]:
    """Build the tables of these hosts in a database at `path`, and their Parquet in `files`."""
    names = [name for host in hosts for name in host.files]
    accepted, refused = records.read(given.runs, given.schema, names, given.core)
    with contextlib.ExitStack() as stack:
        try:
            connection = stack.enter_context(_tables(given, path, accepted, refused))
        except CALCULATION_ERRORS as error:
            if is_full(error):
                raise
            accepted = _loadable(given, accepted, refused)
            path.unlink(missing_ok=True)
            connection = stack.enter_context(_tables(given, path, accepted, refused))
        loaded = {host.name: 0 for host in hosts}
        for record in accepted:
            loaded[record.cell.partition("/")[0]] += 1
        del accepted
        for table in parts.parted(connection):
            parquet.write_hosts(connection, table, files)
        yield Built(connection, loaded)


@contextlib.contextmanager
def _tables(
    given: Input, path: Path, accepted: list[Record], refused: list[Refused]
) -> Iterator[Connection]:
    with load.database(path) as connection:
        load.raw_tables(connection, given, accepted, refused)
        load.objects(connection, given.sql)
        yield connection


def _loadable(given: Input, accepted: list[Record], refused: list[Refused]) -> list[Record]:
    """The records that can be loaded; the others are refused by name.

    The last defence against unforeseen values: the last record of the shortest failing prefix of
    the list causes the failure, alone or with earlier ones.
    """

    def fails(beginning: list[Record]) -> StudyError | Exception | None:
        try:
            with _tables(given, load.IN_MEMORY, beginning, []):
                return None
        except CALCULATION_ERRORS as error:
            if is_full(error):
                raise
            return error

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
