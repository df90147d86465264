"""Write the tables as Parquet for download and archive: the same rows give the same bytes.

A table without rows of hosts is one file, `<table>.parquet`. One with them is a folder in the form
that every reader of Parquet knows (Hive's): `<table>/host=<slug>/measured.parquet`, so that
what comes of a contribution is files of its own. Rows of no host lie beside them, in
`published.parquet`, below the host that their own column names, if any.
"""

from pathlib import Path
from urllib.parse import quote, unquote

from database.load import Connection, literal
from database.parts import Parted

# what readers of Hive's form take for null
NO_HOST = "__HIVE_DEFAULT_PARTITION__"
MEASURED, PUBLISHED = "measured.parquet", "published.parquet"


def write(connection: Connection, rows: str, path: Path) -> Path:
    """Write rows, in the order that the table's own SQL file gives them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # else a column is optional or required by whether any host has, or had, a null there
    connection.execute("set disabled_optimizers = 'statistics_propagation'")
    connection.execute(f"copy ({rows}) to '{literal(path)}' (format parquet, compression zstd)")
    connection.execute("reset disabled_optimizers")
    return path


def write_whole(connection: Connection, table: str, folder: Path) -> None:
    """`<table>.parquet`."""
    write(connection, f'from "{table}" order by rowid', folder / f"{table}.parquet")


def write_hosts(connection: Connection, table: Parted, folder: Path) -> None:
    """The rows of each host that has any."""
    hosts = connection.execute(
        f'select distinct {table.host} from "{table.name}" where {table.host} is not null'
    ).fetchall()
    for (host,) in hosts:
        write(
            connection,
            # in the order of the table: DuckDB keeps it without being told, and told would sort
            f'from "{table.name}" where {table.of(host)}',
            folder / of_host(table, host) / MEASURED,
        )


def read_hosts(connection: Connection, table: Parted, folder: Path, hosts: list[str]) -> None:
    """Add the rows of these hosts, in their order, from what `write_hosts` left in a folder."""
    paths = [folder / of_host(table, host) / MEASURED for host in hosts]
    if found := [str(path) for path in paths if path.exists()]:
        connection.execute(
            f'insert into "{table.name}" from read_parquet($1, hive_partitioning = false)', [found]
        )


def write_published(connection: Connection, table: Parted, folder: Path) -> None:
    """The rows of no host; where there are none, a file that has the columns at least."""
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
    """The Parquet files that lie below a folder, relative to it."""
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*.parquet")}


def of_host(table: Parted, host: str | None) -> str:
    """The folder of a host's rows, below that of all tables."""
    slug = NO_HOST if host is None else quote(host, safe="")
    return f"{table.name}/{table.key}={slug}"


def host_of(file: str) -> str | None:
    """The host whose rows are in a file, by its path below all tables; None where it is none's."""
    folder, _, name = file.rpartition("/")
    return unquote(folder.rpartition("=")[2]) if name == MEASURED else None
