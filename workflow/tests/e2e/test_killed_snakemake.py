"""After a killed step, with any leftovers of Snakemake, the next call completes the study."""

import os
import shutil

import pytest

pytestmark = pytest.mark.slow

DATABASE = "data/diskbench.duckdb"


def parquet(project):
    return {
        path: path.read_bytes() for path in (project.folder / "data" / "parquet").rglob("*.parquet")
    }


def leave(path, content=b""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def much(folder):
    """Marks of unfinished steps, locks, notes cut, half a database."""
    books = folder / ".snakemake"
    shutil.copytree(books / "metadata", books / "incomplete", dirs_exist_ok=True)
    leave(books / "locks/0.input.lock", b"data/x\n")
    for note in (books / "metadata").rglob("*"):
        if note.is_file():
            os.truncate(note, 5)
    leave(folder / "data/diskbench.duckdb.building-999999/x")


def nothing(folder):
    shutil.rmtree(folder / ".snakemake")


@pytest.mark.parametrize("left", [much, nothing])
def test_the_next_call_completes_a_killed_one(project, left):
    left(project.folder)
    (project.folder / ".diskbench/made/database").unlink()
    done = project.run("database", "--config", "study=none")
    assert done.returncode == 0, done.stderr
    assert project.query("select count(*) from cell") == [(len(project.records()),)]


# each kind of damage and each way of calling once: neither depends on the other
@pytest.mark.parametrize(("how", "spoil"), [("run.sh", "cut"), ("plain snakemake", "deleted")])
def test_parquet_that_is_not_as_it_was_made_is_made_again(project, how, spoil):
    before = parquet(project)
    for path in list(before)[:3]:
        if spoil == "deleted":
            path.unlink()
        else:
            os.truncate(path, 10)
    if how == "run.sh":
        done = project.run("database")
    else:
        done = project.snakemake("--cores", "1", "database")
    assert done.returncode == 0, done.stderr
    assert parquet(project) == before


def test_no_rule_declares_a_product_as_its_output(project):
    """Snakemake deletes, or copies aside, what is declared; only markers and the core may be."""
    listed = project.snakemake("--summary").stdout.splitlines()[1:]
    outputs = {line.split("\t")[0] for line in listed}
    assert outputs
    assert {
        name
        for name in outputs
        if not name.startswith(".diskbench/made/") and name != "core/target/release/diskbench"
    } == set()


def test_a_record_folder_that_leads_nowhere_keeps_the_database(project):
    before = (project.folder / DATABASE).read_bytes()
    runs = project.folder / "data" / "runs"
    runs.rename(project.folder / "unplugged")
    runs.symlink_to("/no/such/disk")
    done = project.run("database")
    assert done.returncode == 4
    assert "data/runs leads to /no/such/disk, which does not exist" in done.stderr
    assert (project.folder / DATABASE).read_bytes() == before


def test_an_empty_record_folder_keeps_the_database_unless_that_is_deleted(project):
    before = (project.folder / DATABASE).read_bytes()
    runs = project.folder / "data" / "runs"
    runs.rename(project.folder / "elsewhere")
    runs.mkdir()
    done = project.run("database")
    assert done.returncode == 4
    [line] = [line for line in done.stderr.splitlines() if "has no record" in line]
    assert line.endswith(f"or delete {DATABASE} to start over")
    assert (project.folder / DATABASE).read_bytes() == before
    assert list(runs.rglob("*")) == []
    (project.folder / DATABASE).unlink()
    done = project.run("database", "--config", "study=none")
    assert done.returncode == 0, done.stderr
    assert project.query("select count(*) from cell") == [(0,)]
