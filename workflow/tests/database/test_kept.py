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


@pytest.fixture(scope="module")
def built(tmp_path_factory, project_folders):
    """A database of the kept records, and one of the next version."""
    folders = project_folders(tmp_path_factory.mktemp("kept"))
    shutil.copytree(KEPT, folders.runs)
    newer = {"record_version": record_file.RECORD_VERSION + 1, "samples": {}}
    record = json.loads((KEPT / EXAMPLES[0]).read_text(encoding="utf-8")) | newer
    record["cell"]["repeat"] = 99
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
