"""No record prevents the others from being loaded.

Each extreme value stands alone in a record of its own. Of records with two, some are drawn, always
the same ones; with `DISKBENCH_EXTREME_RECORDS=10000` so many.
"""

import dataclasses
import os
import random
import tempfile
from pathlib import Path

import duckdb
import extremes
import pytest

from database import batch, load, records
from database.build import build
from proofs.support.records import signed

pytestmark = pytest.mark.slow

RECORDS = int(os.environ.get("DISKBENCH_EXTREME_RECORDS", "100"))
IN_A_BUILD = min(RECORDS, 200)
GOOD = 10**6


def loaded_of(folders, changes):
    """Builds the database of records so changed and of a good one: files loaded, refused, all of them."""
    names = set()
    for number, (of, changed) in enumerate(changes, start=1):
        if (made := extremes.changed(of, number, changed)) is not None:
            names.add(extremes.save(made, folders.runs, number, of))
    good = extremes.save(extremes.record(GOOD), folders.runs, GOOD)
    build(folders)
    with duckdb.connect(str(folders.database), read_only=True) as database:
        loaded = {
            f"{cell}.json" for (cell,) in database.execute("select cell from cell").fetchall()
        }
        refused = {
            name for (name,) in database.execute("select path from refused_record").fetchall()
        }
    assert good in loaded
    assert loaded | refused == names | {good}
    assert loaded & refused == set()
    return loaded, refused


def test_every_extreme_value_alone_is_loaded_or_refused_by_itself_and_alike_without_a_core(
    core, folders
):
    alone = [(of, [(path, value)]) for of, path, value in extremes.alone()]
    assert len(alone) > 8000
    loaded, refused = loaded_of(dataclasses.replace(folders, core=core), alone)
    _keep(loaded, refused)
    # what takes no cell to know
    _, by_schema = records.read(folders.runs, folders.schema)
    assert len(by_schema) > 4000
    assert {one.path for one in by_schema} - refused == set()


def test_records_of_two_extreme_values_are_loaded_or_refused_each_by_itself(core, project_folders):
    dice = random.Random(1)
    places = {of: list(extremes.places(of())) for of in extremes.RECORDS}

    def drawn(of):
        path = dice.choice(places[of])
        return path, dice.choice(extremes.values(extremes.at(of(), path)))

    def two():
        of = dice.choice(extremes.RECORDS)
        return of, [drawn(of), drawn(of)]

    for _ in range(RECORDS // IN_A_BUILD):
        with tempfile.TemporaryDirectory() as home:
            folders = dataclasses.replace(project_folders(Path(home)), core=core)
            _keep(*loaded_of(folders, [two() for _ in range(IN_A_BUILD)]))


def _keep(loaded, refused):
    if summary := os.environ.get("DISKBENCH_EXTREME_SUMMARY"):
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(f"{len(loaded)} {len(refused)}\n")


def test_the_largest_values_that_the_core_lets_in_can_be_computed_with(core, project_folders):
    # those that once made a query fail
    places = [
        ("planned",), ("harness", "epoch"), ("cell", "repeat"),
        ("steps", -1, "serving", "processes", 0, "count"),
        ("steps", -1, "serving", "processes", 0, "ended"),
        ("steps", -1, "serving", "processes", 0, "cpu_ns"), ("steps", -1, "serving", "elapsed_ns"),
    ]  # fmt: skip
    largest = {"cpu_ns": 2**63 - 1, "elapsed_ns": 2**63 - 1}
    changes = [(extremes.record, [(path, largest.get(path[-1], 2**32 - 1))]) for path in places]
    changes.append((extremes.record, [((one,), 2**32 - 1) for one in ("position", "planned")]))
    with tempfile.TemporaryDirectory() as home:
        folders = dataclasses.replace(project_folders(Path(home)), core=core)
        _, refused = loaded_of(folders, changes)
    assert refused == set()


def test_a_record_that_the_tables_cannot_be_made_with_is_found_and_refused_alone(
    folders, monkeypatch
):
    # without a core: by the schema alone, sizes may be any
    def large(made):
        for sample in made["samples"][:4]:
            sample["size_bytes"] = 2**62
        return signed(made)

    for number in range(1, 8):
        extremes.save(extremes.record(number), folders.runs, number)
    bad = {extremes.save(large(extremes.record(number)), folders.runs, number) for number in (3, 6)}
    outcome = build(folders)
    assert (outcome.loaded, outcome.refused) == (5, 2)
    with duckdb.connect(str(folders.database), read_only=True) as database:
        told = dict(database.execute("select path, reason from refused_record").fetchall())
    assert set(told) == bad
    assert all("the tables cannot be made with its values" in reason for reason in told.values())


def test_records_that_fail_together_cost_one_of_them_alone(folders, monkeypatch):
    names = [
        extremes.save(extremes.record(number), folders.runs, number) for number in (1, 2, 3, 4)
    ]
    objects = load.objects

    def no_two(connection, folder, **how):
        if connection.execute("select count(*) from raw_record").fetchone()[0] > 3:
            raise duckdb.ConversionException("too many of them")
        objects(connection, folder, **how)

    monkeypatch.setattr(batch.load, "objects", no_two)
    outcome = build(folders)
    assert (outcome.loaded, outcome.refused) == (3, 1)
    assert len(names) == 4
