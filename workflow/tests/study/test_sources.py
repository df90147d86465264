"""A step is made again when what it is made from changes, and not when it only looks so."""

import os
from pathlib import Path

import pytest

from study.sources import digest, files_below, missing_engine


@pytest.fixture
def records(tmp_path):
    made = []
    for name in ("a", "b"):
        path = tmp_path / f"{name}.json"
        path.write_text(name, encoding="utf-8")
        made.append(str(path))
    return made


def test_a_record_that_comes_or_goes_is_noticed(records):
    assert digest(records, set()) != digest(records[:1], set())


def test_a_record_from_elsewhere_that_is_replaced_by_an_older_file_is_noticed(records):
    before = digest(records, set())
    os.utime(records[1], (0, 0))
    assert digest(records, set()) != before


def test_measuring_a_planned_record_changes_nothing(records, tmp_path):
    planned = {records[0], str(tmp_path / "not-there-yet.json")}
    everything = sorted({*records, *planned})
    before = digest(everything, planned)
    for path in planned:
        Path(path).write_text("measured", encoding="utf-8")
    assert digest(everything, planned) == before


def test_what_steps_leave_beside_their_sources_is_no_source(tmp_path):
    for name in (
        "index.qmd",
        "_site/index.html",
        "lib/__pycache__/a.pyc",
        "assets/vega-bundle.html",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert files_below(str(tmp_path), "*") == [str(tmp_path / "index.qmd")]


def test_a_missing_engine_is_tried_again_by_each_call(tmp_path):
    state = tmp_path / "engine.json"
    assert missing_engine(state, "call 1") == ""  # not tried yet: the site is due anyway
    state.write_text('{"parts": 7, "made_from": "abc"}', encoding="utf-8")
    assert missing_engine(state, "call 2") == ""
    state.write_text('{"missing": "npm is missing"}', encoding="utf-8")
    assert missing_engine(state, "call 3") == "call 3"
