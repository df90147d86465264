"""Snakemake's arguments decide whether a plan is made, and which cells are measured again."""

import pytest

from study.asked import asked, forced, looks_at_jobs, with_markers

CELL = "mac/macos-26/as-created-gold/internal/apple/UDSB-none/1/fresh"
MARKER = f".diskbench/made/measured/{CELL}"
RECORD = f"data/runs/{CELL}.json"


@pytest.mark.parametrize(
    ("words", "needed"),
    [
        ("", True),
        ("--dag", True),
        ("--lint", False),
        ("--list-rules", False),
        ("--unlock", False),
    ],
)
def test_a_plan_is_needed_where_jobs_are_looked_at(words, needed):
    assert looks_at_jobs(asked(words.split())) == needed


@pytest.mark.parametrize(
    ("words", "cells"),
    [
        ("", []),
        ("-F database", ["all"]),
        ("--forcerun measure", ["all"]),
        ("-R database diskbench_measure", ["all"]),
        ("--forcerun database", []),
        (f"--force {MARKER}", [CELL]),
        (f"-f database ./{MARKER}", [CELL]),
        (f"--forcerun {MARKER} --config measure=1", [CELL]),
        (MARKER, []),
        ("database --force --config study=none", []),
    ],
)
def test_what_is_forced_are_all_cells_or_those_that_are_named(words, cells):
    assert forced(asked(words.split())) == cells


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
def test_a_forced_record_is_replaced_by_the_marker_of_its_cell(before, after):
    assert with_markers(before.split()) == after.split()
