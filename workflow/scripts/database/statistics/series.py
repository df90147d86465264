"""The files of a cell in one direction (a series), and groups of series of one design."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import duckdb
import numpy as np

# cells in memory at once: with 320 files each and 16 bytes a file, 25 MB
CELLS_AT_ONCE = 5_000


@dataclass(frozen=True)
class Files:
    """The files of one cell in one direction, in order."""

    cell: str
    op: str
    size_bytes: np.ndarray
    elapsed_ns: np.ndarray


@dataclass(frozen=True)
class Alike:
    """Series of one design, whose files have the same sizes.

    numbers: which of the given series these are.
    size_bytes: (files,), ascending. elapsed_ns: (series, files), in the order of size_bytes, files
    of one size in their own.
    """

    numbers: np.ndarray
    size_bytes: np.ndarray
    elapsed_ns: np.ndarray


def measured_chunks(connection: duckdb.DuckDBPyConnection) -> Iterator[list[Files]]:
    """The files of each measured cell and direction, for some cells at once.

    Files during which the machine slept are left out.
    """
    cells = connection.execute(
        "select cell from cell where status = 'measured' order by cell"
    ).fetchall()
    for first in range(0, len(cells), CELLS_AT_ONCE):
        chunk = [cell for (cell,) in cells[first : first + CELLS_AT_ONCE]]
        yield _between(connection, chunk[0], chunk[-1])


def _between(connection: duckdb.DuckDBPyConnection, low: str, high: str) -> list[Files]:
    chosen = """
        from sample
        inner join cell using (cell)
        where cell.status = 'measured' and not slept and sample.cell between ? and ?
    """
    names = connection.execute(
        f"select sample.cell, op, count(*) {chosen} group by all order by all", [low, high]
    ).fetchall()
    columns = connection.execute(
        f"""select size_bytes, elapsed_ns {chosen} order by sample.cell, op, "order" """,
        [low, high],
    ).fetchnumpy()
    ends = np.cumsum([count for *_, count in names])
    # what follows the last end is empty, also where there is no file at all
    sizes = np.split(np.asarray(columns["size_bytes"]), ends)[:-1]
    times = np.split(np.asarray(columns["elapsed_ns"]), ends)[:-1]
    return [
        Files(cell, op, size, time)
        for (cell, op, _), size, time in zip(names, sizes, times, strict=True)
    ]


def by_design(series: Iterable[Files]) -> Iterator[Alike]:
    """Series grouped by equal sizes."""
    found = defaultdict(list)
    for number, files in enumerate(series):
        order = np.argsort(files.size_bytes, kind="stable")
        size_bytes = files.size_bytes[order]
        found[size_bytes.tobytes()].append((number, size_bytes, files.elapsed_ns[order]))
    for same in found.values():
        numbers, sizes, times = zip(*same, strict=True)
        yield Alike(np.array(numbers), sizes[0], np.stack(times))
