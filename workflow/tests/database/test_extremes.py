"""No record prevents the others from being loaded.

Each extreme value stands alone in a record of its own.
"""

import dataclasses
import json

import duckdb
import extremes
import pytest
from asked import read_all

from database import batch, load
from database.build import build
from proofs.support.records import signed

pytestmark = pytest.mark.slow

GOOD = 10**6
LARGEST = 2**32 - 1
# those that once made a query fail; the core lets them in
COMPUTED_WITH = [
    *[[(path, LARGEST)] for path in (("planned",), ("harness", "epoch"), ("cell", "repeat"))],
    *[[(("steps", -1, "serving", "processes", 0, key), LARGEST)] for key in ("count", "ended")],
    [(("steps", -1, "serving", "processes", 0, "cpu_ns"), 2**63 - 1)],
    [(("steps", -1, "serving", "elapsed_ns"), 2**63 - 1)],
    [(("position",), LARGEST), (("planned",), LARGEST)],
]


def saved(runs, changes, first):
    """Save a record so changed for each, with numbers from the first on; their names."""
    return {
        extremes.save(extremes.changed(of, number, changed), runs, number, of)
        for number, (of, changed) in enumerate(changes, start=first)
    }


def objects(value):
    """Every object in a value, itself included."""
    if isinstance(value, dict):
        yield value
    if isinstance(value, dict | list):
        for inside in value.values() if isinstance(value, dict) else value:
            yield from objects(inside)


def test_the_records_have_a_value_of_every_key_of_the_schema():
    schema = json.loads(extremes.SCHEMA.read_text(encoding="utf-8"))
    every = {key for rule in objects(schema) for key in rule.get("properties", {})}
    assert len(every) > 100
    made = [of() for of in extremes.RECORDS]
    found = {key for one in objects(made) for key, value in one.items() if value not in (None, [])}
    assert every - found == set()


def test_every_extreme_value_is_loaded_or_refused_by_itself_and_alike_without_a_core(core, folders):
    alone = [(of, [(path, value)]) for of, path, value in extremes.alone()]
    assert len(alone) > 8000
    names = saved(folders.runs, alone, 1)
    computed_with = saved(folders.runs, [(extremes.record, one) for one in COMPUTED_WITH], GOOD)
    build(dataclasses.replace(folders, core=core))
    with duckdb.connect(str(folders.database), read_only=True) as database:
        cells = database.execute("select cell from cell").fetchall()
        loaded = {f"{cell}.json" for (cell,) in cells}
        paths = database.execute("select path from refused_record").fetchall()
        refused = {path for (path,) in paths}
    assert computed_with <= loaded
    assert loaded | refused == names | computed_with
    assert loaded & refused == set()
    # what takes no cell to know
    _, by_schema = read_all(folders.runs, folders.schema)
    assert len(by_schema) > 4000
    assert {one.path for one in by_schema} - refused == set()


def test_a_record_that_the_tables_cannot_be_made_with_is_found_and_refused_alone(folders):
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
    for number in range(1, 5):
        extremes.save(extremes.record(number), folders.runs, number)
    objects = load.objects

    def no_two(connection, folder, **how):
        if connection.execute("select count(*) from raw_record").fetchone()[0] > 3:
            raise duckdb.ConversionException("too many of them")
        objects(connection, folder, **how)

    monkeypatch.setattr(batch.load, "objects", no_two)
    outcome = build(folders)
    assert (outcome.loaded, outcome.refused) == (3, 1)
