"""Writes tables as Parquet; the same rows give the same bytes.

A table without rows of hosts is one file, `<table>.parquet`. Others are a folder with Hive
partitions, `<table>/host=<slug>/measured.parquet`, so that a contribution gets files of its own.
Rows without a measured host are in `published.parquet`, below the host in their own column, if
any.
"""

from pathlib import Path
from urllib.parse import quote, unquote

from database.load import Connection, literal
from database.parts import Parted

# null in Hive partitions
NO_HOST = "__HIVE_DEFAULT_PARTITION__"
MEASURED, PUBLISHED = "measured.parquet", "published.parquet"


def write(connection: Connection, rows: str, path: Path) -> None:
    """Write rows in the order of the table's SQL file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # otherwise a column is optional or required depending on whether any host has a null
    connection.execute("set disabled_optimizers = 'statistics_propagation'")
    connection.execute(f"copy ({rows}) to '{literal(path)}' (format parquet, compression zstd)")
    connection.execute("reset disabled_optimizers")


def write_whole(connection: Connection, table: str, folder: Path) -> None:
    """`<table>.parquet`."""
    write(connection, f'from "{table}" order by rowid', folder / f"{table}.parquet")


def write_hosts(connection: Connection, table: Parted, folder: Path) -> None:
    """Write the rows of each host."""
    hosts = connection.execute(
        f'select distinct {table.host} from "{table.name}" where {table.host} is not null'
    ).fetchall()
    for (host,) in hosts:
        write(
            connection,
            # in the table's order: DuckDB keeps it; an ORDER BY would sort again
            f'from "{table.name}" where {table.of(host)}',
            folder / of_host(table, host) / MEASURED,
        )


def read_hosts(connection: Connection, table: Parted, folder: Path, hosts: list[str]) -> None:
    """Add the rows of these hosts, in order, from the files of `write_hosts`."""
    paths = [folder / of_host(table, host) / MEASURED for host in hosts]
    if found := [str(path) for path in paths if path.exists()]:
        connection.execute(
            f'insert into "{table.name}" from read_parquet($1, hive_partitioning = false)', [found]
        )


def write_published(connection: Connection, table: Parted, folder: Path) -> None:
    """Write the rows without a host; if there are none, a file with only the columns."""
    nothing = f'from "{table.name}" where {table.host} is null'
    own = [(None,)]
    if table.host != table.key and table.key in table.host:
        own += connection.execute(
            f"select distinct {table.key} {nothing} and {table.key} is not null"
        ).fetchall()
    for (host,) in own:
        named = "null" if host is None else f"'{literal(host)}'"
        match = "true" if len(own) == 1 else f"{table.key} is not distinct from {named}"
        write(
            connection,
            f"{nothing} and {match} order by rowid",
            folder / of_host(table, host) / PUBLISHED,
        )


def files(folder: Path) -> set[str]:
    """The Parquet files below a folder, relative to it."""
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*.parquet")}


def of_host(table: Parted, host: str | None) -> str:
    """The folder of a host's rows, relative to that of all tables."""
    slug = NO_HOST if host is None else quote(host, safe="")
    return f"{table.name}/{table.key}={slug}"


def host_of(file: str) -> str | None:
    """The host of a file by its path below all tables; None if it has none."""
    folder, _, name = file.rpartition("/")
    return unquote(folder.rpartition("=")[2]) if name == MEASURED else None
