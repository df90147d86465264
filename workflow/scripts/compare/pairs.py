"""Pairs the cells of two sides and compares them with the SQL of `release_change`.

Each side becomes a release in `stg_release_cell`, which the SQL files 50 to 52 and
run_intervals.py read unchanged. No figure is computed here.
"""

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from compare.sides import Side
from console import ExitCode, StudyError
from database import batch, load, records
from database.load import Input

Row = dict[str, Any]

# other inputs of the SQL files 50 to 52, by object
NEEDED = ("codes", "unlike", "verdict_rule", "same_night", "stg_run_interval", "holm", "beyond")
JUDGED = ("stg_release_pair", "stg_release_to_disk", "release_change")
CELLS = "stg_release_cell"

# what two hosts may differ in (stg_method.method)
HARDWARE = ("chip", "machine", "disk", "disk_model", "disk_bus")

KEY = ("protocol", "scale", "storage", "driver", "format", "encryption", "band_bytes", "phase")
# differences between otherwise equal cells, and the reason of each (vocabulary.yaml)
OTHER = {"driver": "another driver", "scale": "another scale", "storage": "other storage"}


@dataclass(frozen=True)
class Comparison:
    """The result of a comparison.

    `rows`: rows like those of `release_change`, with A as the earlier release. `machines`: the rows
    of `host` of each side. `alone`: the cells of each side without a partner, by difference.
    `refused`: the number of damaged records of each side.
    """

    rows: list[Row]
    machines: tuple[list[Row], list[Row]]
    alone: tuple[dict[str, int], dict[str, int]]
    refused: tuple[int, int]


def compare(a: Side, b: Side, given: Input) -> Comparison:
    """Compare every cell that both sides have, under the newest release of each host."""
    if _files(a) == _files(b):
        raise StudyError(
            ExitCode.BAD_INPUT, f"{a.word} and {b.word} are the same records: name two sets"
        )
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        refused = (_cells(a, given, folder / "a"), _cells(b, given, folder / "b"))
        with load.database(folder / "compared.duckdb") as connection:
            machines = (_machines(connection, folder / "a"), _machines(connection, folder / "b"))
            for side, found in zip((a, b), machines, strict=True):
                if not found:
                    raise StudyError(
                        ExitCode.DAMAGED_RECORD,
                        f"no record of {side.word} can be loaded: "
                        "check-contribution on its folder says why",
                    )
            _join(connection, folder, machines)
            for name in NEEDED + JUDGED:
                load.make(connection, load.sql_file(given.sql, name))
            rows = _rows(connection, "from release_change")
            return Comparison(rows, machines, _alone(connection), refused)


def _files(side: Side) -> tuple[Path, list[tuple[str, ...]]]:
    return side.runs.resolve(), [host.files for host in side.hosts]


def _cells(side: Side, given: Input, folder: Path) -> int:
    """Write the cells of a side as Parquet; returns the number of refused records."""
    folder.mkdir()
    damaged = 0
    for number, hosts in enumerate(batch.batches(side.hosts)):
        names = [name for host in hosts for name in host.files]
        accepted, refused = records.read(side.runs, given.schema, names, given.core)
        damaged += len(refused)
        with load.database(folder / f"{number}.duckdb") as connection:
            load.raw_tables(connection, replace(given, runs=side.runs), accepted, refused)
            for file in load.sql_files(given.sql):
                load.make(connection, file)
                if load.object_name(file) == CELLS:
                    break
            for table in (CELLS, "host"):
                target = load.literal(folder / f"{number}-{table}.parquet")
                connection.execute(f"copy {table} to '{target}'")
        (folder / f"{number}.duckdb").unlink()
    return damaged


def _machines(connection: load.Connection, folder: Path) -> list[Row]:
    return _rows(
        connection,
        f"""
            from {_parquet(folder, "host")}
            qualify release_number = max(release_number) over (partition by host)
            order by host
        """,
    )


def _join(connection: load.Connection, folder: Path, machines: tuple[list[Row], list[Row]]) -> None:
    """Put both sides into one table, as two releases of one host.

    Two different hosts, or two people's of one name, are paired as if they were one: their
    hardware is then the question and no obstacle. Of several hosts, each is compared with itself.
    """
    (one, *more), (other, *others) = machines
    host, method, whose = "host", "method", "whose"
    machines_of = [(each["host"], each["vouched_by"]) for each in (one, other)]
    if not more and not others and machines_of[0] != machines_of[1]:
        host = f"'{other['host']} / {one['host']}'"
        hardware = ", ".join(f"{name} := null::varchar" for name in HARDWARE)
        method, whose = f"struct_update(method, {hardware})", "null::varchar"
    sides = " union all ".join(
        f"""
        select * replace (
            {host} as host,
            {method} as method,
            {whose} as whose,
            -- such cells are listed, too: their reason stands in why_not_comparable
            false as stand_in,
            {number} as number
        )
        from (
            from {_parquet(folder / name, CELLS)}
            qualify number = max(number) over (partition by host)
        )
        """
        for number, name in enumerate("ab", start=1)
    )
    connection.execute(f"create temp table {CELLS} as {sides}")


def _parquet(folder: Path, table: str) -> str:
    return f"read_parquet('{load.literal(folder)}/*-{table}.parquet')"


def _rows(connection: load.Connection, sql: str) -> list[Row]:
    asked = connection.execute(sql)
    names = [column[0] for column in asked.description or ()]
    return [dict(zip(names, row, strict=True)) for row in asked.fetchall()]


def _alone(connection: load.Connection) -> tuple[dict[str, int], dict[str, int]]:
    """The number of cells that only one side has, by what the other has instead."""
    cells: tuple[set[tuple], set[tuple]] = (set(), set())
    for number, *key in connection.execute(
        f"select distinct number, host, {', '.join(KEY)} from {CELLS}"
    ).fetchall():
        cells[number - 1].add(tuple(key))
    return _without(cells[0], cells[1]), _without(cells[1], cells[0])


def _without(these: set[tuple], those: set[tuple]) -> dict[str, int]:
    found: dict[str, int] = {}
    for key in these - those:
        why = _nearest(key, those)
        found[why] = found.get(why, 0) + 1
    return dict(sorted(found.items()))


def _nearest(key: tuple, others: set[tuple]) -> str:
    for name, words in OTHER.items():
        at = 1 + KEY.index(name)
        for other in others:
            if other[:at] + other[at + 1 :] == key[:at] + key[at + 1 :]:
                return f"{words} ({key[at]} and {other[at]})"
    return "not measured there"
