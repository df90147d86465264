"""The core decides which records are loaded; without it, or if it crashes or is old, good ones still load."""

import json
import shutil
from pathlib import Path

import pytest
from asked import read_all

from database import judged
from proofs.support import bulk
from record import checksum

PROJECT = Path(__file__).parents[3]
SCHEMA = PROJECT / "workflow" / "schemas" / "record.schema.json"


@pytest.fixture
def runs(tmp_path):
    """Five records."""
    bulk.write(tmp_path / "runs", 5)
    return tmp_path / "runs"


def names(runs):
    return sorted(path.relative_to(runs).as_posix() for path in runs.rglob("*.json"))


def without_a_file(path):
    """Damage that only the core sees."""
    made = json.loads(path.read_text(encoding="utf-8"))
    made["samples"].pop()
    made["sha256"] = checksum(made)
    path.write_text(json.dumps(made), encoding="utf-8")


def test_without_a_core_of_this_record_version_the_schema_is_used_and_reported(
    core, runs, tmp_path, capsys
):
    other = json.loads(SCHEMA.read_text(encoding="utf-8"))
    other["title"] = "another"
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps(other), encoding="utf-8")
    assert judged.judged(core, schema, runs, names(runs)) is None
    assert "of another version" in capsys.readouterr().err
    assert judged.judged(Path(shutil.which("true")), SCHEMA, runs, names(runs)) is None
    assert judged.judged(tmp_path / "no core", SCHEMA, runs, names(runs)) is None
    assert "less strictly (it is not built)" in capsys.readouterr().err
    assert len(read_all(runs, SCHEMA, core=tmp_path / "no core")[0]) == 5


def test_another_core_is_another_rule(core, tmp_path):
    words = {judged.word(one, SCHEMA) for one in (core, None, tmp_path / "no core")}
    assert len(words) == 2


def test_a_record_that_ends_the_core_keeps_no_other_out(core, runs, tmp_path):
    # a core that dies at one record, in the middle of its line
    bad = names(runs)[2]
    dying = tmp_path / "dying"
    dying.write_text(
        f'#!/bin/sh\nif [ "$1" = schema ]; then exec {core} "$@"; fi\n'
        f'while read -r name; do case "$name" in *{bad}) printf "{{"; kill -9 $$;; esac\n'
        f'printf "%s\\n" "$name" | {core} verify --json -; done\n'
    )
    dying.chmod(0o755)
    accepted, [refused] = read_all(runs, SCHEMA, core=dying)
    assert len(accepted) == 4
    assert refused.path == bad
    assert refused.reason.startswith("the core cannot judge it")


def test_a_record_that_changes_after_the_core_has_seen_it_is_refused(core, runs, monkeypatch):
    first = names(runs)[0]

    ask = judged.judged

    def and_then(*given):
        seen = ask(*given)
        (runs / first).write_text("{")
        return seen

    monkeypatch.setattr(judged, "judged", and_then)
    [refused] = read_all(runs, SCHEMA, core=core)[1]
    assert refused.path == first
    assert "was written while it was read" in refused.reason


def test_a_copy_elsewhere_does_not_vouch_for_a_damaged_record(core, runs):
    first = names(runs)[0]
    copy = runs / "elsewhere" / first
    copy.parent.mkdir(parents=True)
    shutil.copyfile(runs / first, copy)
    without_a_file(runs / first)
    refused = {one.path: one.reason for one in read_all(runs, SCHEMA, core=core)[1]}
    assert set(refused) == {first, f"elsewhere/{first}"}
    assert refused[first].startswith("it should contain 8 steps, 320 samples and 2 sizes")
    assert f"its cell belongs to {first}; move it there" in refused[f"elsewhere/{first}"]
