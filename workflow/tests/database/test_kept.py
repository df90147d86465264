"""Records of every released version keep loading: these files are never changed.

`kept` holds two real records of a Linux machine from before there was anything optional in them,
and made-up ones: the newest has all of it. A newer form adds its own examples here.
"""

import json
import shutil
from pathlib import Path

import duckdb
import made_up
import pytest

import record as record_file
from database.build import build

KEPT = Path(__file__).with_name("kept")
EXAMPLES = sorted(path.relative_to(KEPT) for path in KEPT.rglob("*.json"))

# What was optional when the examples were made; where a list holds such things, in its first one.
OPTIONAL = [
    ("quiet",),
    ("image",),
    ("cell", "band_bytes"),
    ("host", "stand_in"),
    ("host", "storage", "description"),
    ("steps", "commands"),
    ("steps", "serving"),
    ("sizes", "volume_free_bytes"),
]


def holders(record, path):
    """Every part of a record that may hold the last key of a path."""
    parts = [record]
    for key in path[:-1]:
        inner = [part[key] for part in parts]
        parts = [one for part in inner for one in (part if isinstance(part, list) else [part])]
    return parts


def newest(repeat):
    """The newest kept record, as another repeat."""
    [path] = [KEPT / one for one in EXAMPLES if "UDSB-AES-256-bands-33554432" in one.parts]
    record = json.loads(path.read_text(encoding="utf-8"))
    record["cell"]["repeat"] = repeat
    return record


@pytest.fixture(scope="module")
def built(tmp_path_factory, project_folders):
    """A database of the kept records, one from before each key was there, and one of the next version."""
    folders = project_folders(tmp_path_factory.mktemp("kept"))
    shutil.copytree(KEPT, folders.runs)
    for repeat, path in enumerate(OPTIONAL, start=2):
        record = newest(repeat)
        for part in holders(record, path):
            part.pop(path[-1], None)
        made_up.save(record, folders.runs)
    record = newest(99) | {"record_version": record_file.RECORD_VERSION + 1, "samples": {}}
    made_up.save(record, folders.runs)
    build(folders)
    with duckdb.connect(str(folders.database), read_only=True) as connection:
        yield connection


def test_every_kept_record_loads_with_every_file_and_size(built):
    for path in EXAMPLES:
        record = json.loads((KEPT / path).read_text(encoding="utf-8"))
        for table, key in (("sample", "samples"), ("container_size", "sizes")):
            [(rows,)] = built.execute(
                f"select count(*) from {table} where cell = ?", [str(path.with_suffix(""))]
            ).fetchall()
            assert rows == len(record[key]), (path, table)
    # and so does each from before a key was there
    [(loaded,)] = built.execute("select count(*) from cell").fetchall()
    assert loaded == len(EXAMPLES) + len(OPTIONAL)


def test_a_record_of_a_newer_form_is_left_out_and_not_called_damaged(built):
    [(path, reason)] = built.execute("select path, reason from refused_record").fetchall()
    assert path.endswith("/99/fresh.json")
    assert reason == (
        "it was written by a newer diskbench (record_version 2); "
        "update diskbench, then run again; until then it is kept, and is in no table"
    )


def test_the_core_and_the_workflow_have_the_same_record_version(folders):
    schema = json.loads(folders.schema.read_text(encoding="utf-8"))
    assert schema["properties"]["record_version"]["const"] == record_file.RECORD_VERSION
