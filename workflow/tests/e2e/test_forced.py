"""Snakemake's --force, --forcerun and --forceall measure again, and no record is lost."""

import re

import pytest
from gate import A_WRITE

from proofs.support.project import LONGEST_SECONDS

pytestmark = pytest.mark.slow

# one cell of the copies' studies
CONFIG = ("--config", "protocols=[as-created]")


def changed(project, before):
    after = project.contents()
    assert after.keys() == before.keys()
    return [path for path in before if before[path] != after[path]]


def test_forcing_the_rule_measures_every_cell_of_the_call_again(project, gate):
    before = project.contents()
    writing = gate("pwrite", A_WRITE, project.folder / ".diskbench" / "work")
    study = project.start("database", *CONFIG, "--forcerun", "measure", **writing.environment)
    with writing.reached(study):
        assert project.contents() == before
    _, errors = study.communicate(timeout=LONGEST_SECONDS)
    assert study.returncode == 0, errors
    (record,) = changed(project, before)
    (aside,) = record.parent.glob("*.superseded-*.json")
    assert aside.read_bytes() == before[record]
    assert project.query("select count(*) from cell") == [(5,)]


def test_forcing_a_record_measures_its_cell_alone(project):
    before = project.contents()
    (record,) = [path for path in before if path.stem == "partly-filled"]
    done = project.run("--force", str(record.relative_to(project.folder)))
    assert done.returncode == 0, done.stderr
    assert changed(project, before) == [record]


def test_with_more_cores_one_cell_is_measured_at_a_time_all_the_same(project):
    before = project.contents()
    done = project.snakemake("records", "--cores", "3", "--forcerun", "measure")
    assert done.returncode == 0, done.stderr
    assert len(changed(project, before)) == 5
    told = [line.split()[0] for line in done.stderr.splitlines() if re.match(r"\[\d/5\] ", line)]
    assert told == sorted(told)


def test_what_looks_at_no_job_asks_for_no_plan(project):
    wrong = ("--config", "study=nosuch")
    assert project.snakemake("--list-rules", *wrong).returncode == 0
    assert "unknown study 'nosuch'" in project.snakemake("--dag", *wrong).stderr
