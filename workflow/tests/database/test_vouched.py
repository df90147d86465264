"""The core only ever acquits: with it and without it the same records are refused, in the same words."""

import json
import shutil
from pathlib import Path

import pytest

from bench import made_up
from database import records, vouched
from record import checksum

PROJECT = Path(__file__).parents[3]
SCHEMA = PROJECT / "workflow" / "schemas" / "record.schema.json"


@pytest.fixture(scope="session")
def core(request):
    """The core that a study has built, or else one for tests."""
    built = PROJECT / "core" / "target" / "release" / "diskbench"
    return built if built.is_file() else request.getfixturevalue("target") / "diskbench"


@pytest.fixture
def runs(tmp_path):
    """Thirty records."""
    made_up.write(tmp_path / "runs", 30)
    return tmp_path / "runs"


def names(runs):
    return tuple(sorted(path.relative_to(runs).as_posix() for path in runs.rglob("*.json")))


def signed(change):
    """Damage that only its own check can find: the checksum fits again."""

    def damage(path):
        made = json.loads(path.read_text(encoding="utf-8"))
        change(made)
        made["sha256"] = checksum(made)
        path.write_text(json.dumps(made), encoding="utf-8")

    return damage


DAMAGE = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-40]),
    "changed": lambda path: path.write_text(path.read_text().replace('"order": 9,', '"order": 8,', 1)),
    "moved": lambda path: path.rename(path.with_name("emptied.json")),
    "a key too many": signed(lambda made: made.update(colour="red")),
    "a key too few": signed(lambda made: made.pop("reason")),
    "a place twice": signed(lambda made: made["samples"][1].update(order=1)),
    "no such day": signed(lambda made: made.update(finished_utc="2026-02-30T12:00:00Z")),
    "too large": signed(lambda made: made["samples"][0].update(elapsed_ns=2**63)),
    "too small": signed(lambda made: made["samples"][0].update(elapsed_ns=-1)),
    "no integer": signed(lambda made: made["samples"][0].update(elapsed_ns=1.5)),
    "no such format": signed(lambda made: made["cell"].update(format="UDXX")),
    "no sets": signed(lambda made: made["cell"].update(sets=0)),
    "not UTF-8": lambda path: path.write_bytes(b"\xff" + path.read_bytes()),
    "a list": lambda path: path.write_text("[]"),
}  # fmt: skip


def test_whole_records_are_vouched_for(core, runs):
    assert vouched.vouched(core, SCHEMA, runs, names(runs)) == set(names(runs))


def test_the_same_records_are_refused_in_the_same_words(core, runs):
    for name, damage in zip(names(runs), DAMAGE.values(), strict=False):
        damage(runs / name)
    with_core = records.read(runs, SCHEMA, core=core)
    assert with_core == records.read(runs, SCHEMA)
    accepted, refused = with_core
    assert (len(accepted), len(refused)) == (30 - len(DAMAGE), len(DAMAGE))


def test_what_the_core_finds_senseless_and_the_schema_does_not_is_loaded_as_ever(core, runs):
    signed(lambda made: made["samples"].pop())(runs / names(runs)[0])
    assert len(vouched.vouched(core, SCHEMA, runs, names(runs))) == 29
    assert len(records.read(runs, SCHEMA, core=core)[0]) == 30


def test_a_core_of_another_form_of_records_or_none_is_not_believed(core, runs, tmp_path):
    other = json.loads(SCHEMA.read_text(encoding="utf-8"))
    other["title"] = "another"
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps(other), encoding="utf-8")
    assert vouched.vouched(core, schema, runs, names(runs)) == set()
    assert vouched.vouched(tmp_path / "no core", SCHEMA, runs, names(runs)) == set()
    assert vouched.vouched(Path(shutil.which("true")), SCHEMA, runs, names(runs)) == set()
    assert len(records.read(runs, SCHEMA, core=tmp_path / "no core")[0]) == 30


def test_a_record_that_changes_after_the_core_has_seen_it_is_looked_at_again(
    core, runs, monkeypatch
):
    first = names(runs)[0]

    def and_then(*given):
        seen = vouched.vouched(*given)
        (runs / first).write_text("{")
        return seen

    monkeypatch.setattr(records, "vouched", and_then)
    [refused] = records.read(runs, SCHEMA, core=core)[1]
    assert refused.path == first


def test_a_copy_elsewhere_does_not_vouch_for_a_damaged_record(core, runs):
    first = names(runs)[0]
    copy = runs / "elsewhere" / first
    copy.parent.mkdir(parents=True)
    shutil.copyfile(runs / first, copy)
    DAMAGE["changed"](runs / first)
    refused = records.read(runs, SCHEMA, core=core)[1]
    assert {one.path for one in refused} == {first, f"elsewhere/{first}"}
