"""Assigns rows of tables to hosts, so that tables are built, kept and published in parts.

A row belongs to the host whose records it was computed from, found in the table's columns. Rows
without a host come from published figures.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from database.load import Connection, literal, tables

# its column `cell` names an image in words, not a record
OF_THE_ARTICLES = {"conclusion_pair"}


@dataclass(frozen=True)
class Parted:
    """A partitioned table: SQL for the host of a row, and the partition column."""

    name: str
    host: str
    key: str

    def of(self, host: str) -> str:
        """An SQL condition: the row belongs to this host."""
        if self.host == HOST_OF_CELL:
            return f"starts_with(cell, '{literal(host)}/')"  # faster in DuckDB
        return f"{self.host} = '{literal(host)}'"


HOST_OF_CELL = "split_part(cell, '/', 1)"


def parted(connection: Connection) -> list[Parted]:
    """The tables with rows of hosts, as long as there is none over all hosts."""
    found = []
    for name in tables(connection):
        head = connection.execute(f'from "{name}" limit 0').description or []
        table = _parted(name, {column[0] for column in head})
        if table:
            found.append(table)
    return found


def _parted(name: str, columns: set[str]) -> Parted | None:
    if name in OF_THE_ARTICLES:
        return None
    if "measured_host" in columns:
        return Parted(name, "measured_host", "measured_host")
    if {"basis", "host"} <= columns:
        return Parted(name, "case when basis = 'measured' then host end", "host")
    if "host" in columns and columns & {"release", "earlier_release"}:
        return Parted(name, "host", "host")
    if "cell" in columns:
        return Parted(name, HOST_OF_CELL, "host")
    if "path" in columns:
        return Parted(name, "split_part(path, '/', 1)", "host")
    return None


def whole(connection: Connection, in_parts: Iterable[Parted]) -> list[str]:
    """The other tables: published figures, and results over all hosts."""
    return sorted(set(tables(connection)) - {table.name for table in in_parts})


# the key of a published figure in the tables that compare it; a figure that no host has measured
# has a row without a host
UNMEASURED = {
    "article_table": "article, table_order, op",
    "article_size_table": "article, table_order",
}


def drop_unmeasured(connection: Connection) -> None:
    """Delete the row without a host of each figure that a host has measured."""
    for name, key in UNMEASURED.items():
        connection.execute(f"""
            delete from {name}
            where measured_host is null
                and ({key}) in (select ({key}) from {name} where measured_host is not null)
        """)
