"""The end of a study names what failed, was skipped, is missing or damaged."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from study import commands
from study.summary import summarise


def test_every_planned_cell_is_accounted_for(tmp_path, signed):
    def record(name, **content):
        path = tmp_path / f"{name}.json"
        path.write_text(signed({"cell": {}, "samples": []} | content), encoding="utf-8")
        return path

    damaged = tmp_path / "damaged.json"
    damaged.write_text('{"status"', encoding="utf-8")
    summary = summarise(
        {
            "good": record("good", status="measured", reason=None),
            "bad": record("bad", status="failed", reason="No space left on device"),
            "odd": record("odd", status="skipped", reason="this system cannot create ASIF"),
            "torn": damaged,
            "none": tmp_path / "none.json",
        },
        tmp_path,
    )
    assert summary.damaged == ["torn"]
    *lines, last = summary.lines()
    assert lines == [
        "failed: bad: No space left on device",
        "skipped: odd: this system cannot create ASIF",
        "not measured: none",
        "1 of 5 cells measured, 1 skipped, 1 failed",
    ]
    # of another study or scale, no cell would be a failed one
    assert last.startswith("to measure the failed cells again: the same command, ")


def test_where_nothing_was_planned_the_summary_says_so_instead_of_counting():
    assert summarise({}, Path()).lines() == [
        "nothing to measure: the site shows the records that exist"
    ]


@pytest.mark.parametrize(
    ("repeats", "cells", "told"),
    [
        (2, 1, ["2 runs of each cell; a verdict needs 3"]),
        (3, 1, []),
        # of nothing that was planned there is nothing to say
        (2, 0, []),
    ],
)
def test_a_study_of_too_few_runs_ends_with_no_verdict(
    monkeypatch, tmp_path, signed, repeats, cells, told
):
    record = tmp_path / "record.json"
    record.write_text(signed({"cell": {}, "samples": [], "status": "measured", "reason": None}))
    settings = {"repeats": repeats}
    planned = SimpleNamespace(cells=["a"][:cells], study=settings, record=lambda _: record)
    monkeypatch.setattr(commands, "make_plan", lambda _: planned)
    monkeypatch.setattr(commands, "tell_refused", lambda _: 0)
    monkeypatch.chdir(tmp_path)
    commands.summarise({}, Path("database"), Path("site"), tmp_path / "said.txt")
    said = (tmp_path / "said.txt").read_text(encoding="utf-8").splitlines()
    assert [one for one in said if "verdict" in one] == told


@pytest.mark.parametrize(
    ("targets", "code"),
    [
        ([], 0),  # the whole study's own summary says it
        (["plan"], 0),
        (["records"], 7),
        ([".diskbench/made/measured/failing"], 7),
        ([".diskbench/made/measured/good"], 0),
    ],
)
def test_a_call_for_a_part_ends_with_the_code_of_what_failed_in_it(
    monkeypatch, tmp_path, signed, capsys, targets, code
):
    monkeypatch.chdir(tmp_path)
    record = {"cell": {}, "samples": []}
    ends = {"good": ("measured", None), "failing": ("failed", "the cable fell out")}
    for cell, (status, reason) in ends.items():
        path = tmp_path / "data/runs" / f"{cell}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(signed(record | {"status": status, "reason": reason}))
    planned = SimpleNamespace(
        cells=dict.fromkeys(ends), due=[], record=lambda cell: Path("data/runs") / f"{cell}.json"
    )
    monkeypatch.setattr(commands, "_call", (planned, targets))
    assert commands.conclude() == code
    told = "diskbench: failed: failing: the cable fell out\n"
    assert capsys.readouterr().err == (told if code else "")
