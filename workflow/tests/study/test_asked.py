"""What Snakemake is asked for decides whether a plan is made, and which cells are measured again."""

import inspect
import re

import pytest
import snakemake.cli

from study.asked import (
    RUNS_NO_JOB,
    asked,
    forced,
    is_for_the_plan,
    looks_at_jobs,
    runs_no_job,
    with_markers,
)
from study.snakemake_options import check

CELL = "mac/macos-26/as-created-gold/internal/apple/UDSB-none/1/fresh"
MARKER = f".diskbench/made/measured/{CELL}"
RECORD = f"data/runs/{CELL}.json"


@pytest.mark.parametrize(
    ("words", "needed"),
    [
        ("", True),
        ("--cores 1 -n", True),
        ("--dag", True),
        ("--lint", False),
        ("--list-rules", False),
        ("-l", False),
        ("--unlock", False),
    ],
)
def test_a_plan_is_needed_where_jobs_are_looked_at(words, needed):
    assert looks_at_jobs(asked(words.split())) == needed


@pytest.mark.parametrize(
    ("words", "cells"),
    [
        ("", []),
        ("--forceall", ["all"]),
        ("-F database", ["all"]),
        ("--forcerun measure", ["all"]),
        ("-R database diskbench_measure", ["all"]),
        ("--forcerun database", []),
        (f"--force {MARKER}", [CELL]),
        (f"-f database ./{MARKER}", [CELL]),
        (f"--forcerun {MARKER} --config measure=1", [CELL]),
        (MARKER, []),
        ("--force", []),
        ("database --force --config study=none", []),
    ],
)
def test_what_is_forced_are_all_cells_or_those_that_are_named(words, cells):
    assert forced(asked(words.split())) == cells


LOOKING = [
    "-n",
    "-nF",
    "-nq",
    "-npq",
    "-Fn",
    "--dry-run",
    "--dryrun",
    "--dry-r",
    "--executor=dryrun",
    "-edryrun",
    "--list",
    "--list-rules",
    "--list-target-rules",
    "--lt",
    "--list-changes=code",
    "--lc=params",
    "--list-input-changes",
    "--list-params-changes",
    "--list-untracked",
    "--lu",
    "--summary",
    "-S",
    "-D",
    "--detailed-summary",
    "--dag",
    "--dag=mermaid-js",
    "--rulegraph",
    "--filegraph",
    "--d3dag",
    "--report",
    "--report=x.html",
    "--reporter=html",
    "--lint",
    "--lint=json",
    "--print-compilation",
    "--list-conda-envs",
]


@pytest.mark.parametrize("option", LOOKING)
def test_what_is_asked_to_show_something_runs_no_job(option):
    words = ["site", "--config", "seed=7", "study=none", option, "--keep-going"]
    assert runs_no_job(check(words))


@pytest.mark.parametrize(
    ("words", "only"),
    [
        ("plan", True),
        ("plan --config seed=7 scale=gold", True),
        ("--cores 1 plan", True),
        ("-F plan", True),
        ("plan database", False),
        ("database", False),
        ("--config plan=1", False),
        ("", False),
        ("--config note=-n", False),
        ("--forceall -p", False),
        ("--keep-going --quiet all", False),
        ("--report --report-after-run", False),
        ("--force .diskbench/made/measured/x/-n", False),
    ],
)
def test_what_else_only_looks_is_the_plan_when_nothing_is_asked_for_beside_it(words, only):
    options = check(words.split())
    assert is_for_the_plan(options) == only
    assert not runs_no_job(options)


def test_every_branch_of_snakemake_before_its_jobs_is_known_not_to_run_them():
    source = inspect.getsource(snakemake.cli.args_to_api)
    before_jobs = source[source.index("if args.lint:") : source.index("dag_api.execute_workflow")]
    branches = set(re.findall(r"\b(?:el)?if args\.(\w+)", before_jobs))
    # it forgets which outputs are old, and refused options
    branches -= {"preemptible_rules", "touch", "delete_all_output", "delete_temp_output"}
    assert branches - set(RUNS_NO_JOB) == set()
    assert len(branches) > 20


def test_a_program_with_options_of_its_own_forces_nothing(capsys):
    options = asked(["--cores", "as-many-as-there-are"])
    assert forced(options) == []
    assert looks_at_jobs(options)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"--force {RECORD}", f"--force {MARKER}"),
        (f"-R ./{RECORD} --config scale=gold", f"-R {MARKER} --config scale=gold"),
        (f"database {RECORD}", f"database {RECORD}"),
        ("--force --configfile other.json", "--force --configfile other.json"),
    ],
)
def test_a_record_that_is_forced_stands_for_the_marker_of_its_cell(before, after):
    assert with_markers(before.split()) == after.split()
