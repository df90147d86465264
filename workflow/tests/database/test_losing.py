"""A database of records is never replaced by one without any, unless it is deleted first, and fewer records are reported."""

import duckdb
import made_up
import pytest

from console import StudyError
from database import losing
from database.build import build


@pytest.fixture
def project(tmp_path):
    """A way to have a database of so many records; gives the folder of records and the database."""

    def make(records=3):
        database = tmp_path / "diskbench.duckdb"
        with duckdb.connect(str(database)) as connection:
            connection.execute(f"create table cell as from range({records})")
        return tmp_path / "runs", database

    return make


@pytest.mark.parametrize("place", ["missing", "empty"])
def test_missing_records_are_refused_with_the_next_step(project, place):
    runs, database = project()
    if place == "empty":
        runs.mkdir()
    with pytest.raises(StudyError) as refused:
        losing.refuse_lost_place(runs, database)
    assert refused.value.code == 4
    assert refused.value.line.endswith(
        f"was made from 3: restore the records, or delete {database} to start over"
    )


@pytest.mark.parametrize("leads", ["nowhere", "to itself", "to a file"])
def test_a_place_that_is_no_folder_is_refused_with_or_without_a_database(project, leads, tmp_path):
    runs, database = project(0)
    (tmp_path / "file").touch()
    target = {"nowhere": "unplugged", "to itself": "runs", "to a file": "file"}[leads]
    runs.symlink_to(tmp_path / target)
    with pytest.raises(StudyError, match="leads to") as refused:
        losing.refuse_lost_place(runs, database)
    assert refused.value.code == 4


@pytest.mark.parametrize(
    ("records", "before"),
    [
        (0, lambda runs, database: None),
        (3, lambda runs, database: database.unlink()),
        (3, lambda runs, database: database.write_text("cut")),
        # a record was deleted to measure it again
        (3, lambda runs, database: (runs / "some-host").mkdir(parents=True)),
    ],
)
def test_where_nothing_can_be_lost_nothing_is_refused(project, records, before):
    runs, database = project(records)
    before(runs, database)
    losing.refuse_lost_place(runs, database)


def test_a_build_says_how_many_records_each_host_has_lost_since_the_last_one(folders, capsys):
    lost = [
        made_up.save(made_up.record(host=host, phase=phase), folders.runs)
        for host, phase in (
            ("made-up-b", "fresh"),
            ("made-up-a", "fresh"),
            ("made-up-a", "emptied"),
        )
    ]
    made_up.save(made_up.record(host="made-up-c"), folders.runs)
    build(folders)
    assert capsys.readouterr().err == ""
    for path in lost:
        path.unlink()
    made_up.save(made_up.record(host="made-up-c", phase="emptied"), folders.runs)
    build(folders)
    said = "diskbench: 3 records fewer than in the last build: made-up-a 2, made-up-b 1\n"
    assert capsys.readouterr().err == said
    build(folders)
    assert capsys.readouterr().err == ""
