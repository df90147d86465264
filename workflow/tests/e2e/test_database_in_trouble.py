"""A database that is deleted, cut or another one is made anew from the records, of which none is lost."""

import json
import shutil

import pytest

pytestmark = pytest.mark.slow


def contents(project):
    return {path: path.read_bytes() for path in project.records()}


@pytest.mark.parametrize(
    "spoil",
    [
        lambda database: database.unlink(),
        lambda database: database.write_bytes(database.read_bytes()[: 1 << 20]),
        # as one from elsewhere: it is in nobody's memory here, and no database besides
        lambda database: shutil.copy(__file__, database),
    ],
    ids=["deleted", "cut", "from elsewhere"],
)
def test_a_database_that_is_not_as_it_was_built_is_built_anew(measured, tmp_path, spoil):
    project = measured.copy(tmp_path / "project")
    before = contents(project)
    database = project.folder / "data" / "diskbench.duckdb"
    spoil(database)
    there = database.exists()
    done = project.run("database")
    assert done.returncode == 0, done.stderr
    assert ("is not as it was built: it is built anew from the records" in done.stderr) == there
    assert project.query("select count(*) from cell") == [(len(before),)]
    assert contents(project) == before


def test_a_database_is_built_from_nothing_when_what_it_was_made_from_is_deleted(measured, tmp_path):
    project = measured.copy(tmp_path / "project")
    made_from = project.folder / "data" / "diskbench.duckdb.made-from.json"
    before = made_from.read_bytes()
    made_from.unlink()
    done = project.run("database")
    assert done.returncode == 0, done.stderr
    assert set(json.loads(made_from.read_text())["hosts"]) == set(json.loads(before)["hosts"])


def test_a_record_of_a_newer_diskbench_is_left_alone_and_not_measured_again(measured, tmp_path):
    project = measured.copy(tmp_path / "project")
    newer = project.records()[0]
    newer.write_text(newer.read_text().replace('"record_version": 1', '"record_version": 2'))
    before = contents(project)
    done = project.run("database")
    assert done.returncode == 6
    [line] = [line for line in done.stderr.splitlines() if "refused: " in line]
    assert "it was written by a newer diskbench (record_version 2); update diskbench" in line
    assert "damaged" not in done.stderr
    assert contents(project) == before
