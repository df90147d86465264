"""`diskbench verify` and the database refuse the same damaged records, each by itself."""

import dataclasses
import json
import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import damage
import duckdb
import made_up
import pytest
from asked import read_all

import record_files
from database.build import build
from record import DamageError, path_of

pytestmark = pytest.mark.slow

PROJECT = Path(__file__).parents[3]
SCHEMA = PROJECT / "workflow" / "schemas" / "record.schema.json"
DEEP = "/".join(["d"] * 33)
# below a folder whose name is no text
NO_TEXT = "?{x}/a\n.json"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory, project_folders):
    """The folders, and of each record: its name below the runs, what it is, whether it is damaged."""
    folders = project_folders(tmp_path_factory.mktemp("corpus"))
    known = {}
    for number, (what, damaged, text) in enumerate(damage.texts(), start=1):
        made = damage.record(number) if damaged else json.loads(text)
        name = path_of(made["cell"])
        (folders.runs / name).parent.mkdir(parents=True, exist_ok=True)
        (folders.runs / name).write_bytes(text)
        known[name] = (what, damaged)
    return folders, known


def refused_by_build(database):
    """Path and reason of each record that a build refused."""
    with duckdb.connect(str(database), read_only=True) as connection:
        return dict(connection.execute("from refused_record").fetchall())


def verified(core, runs):
    """The core's verdict on every record in a folder: name -> damage, or None."""
    done = subprocess.run([core, "verify", "--json", runs], capture_output=True, check=False)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    return done.returncode, {os.path.relpath(one["path"], runs): one["damage"] for one in told}


def test_every_damage_is_found_by_both_and_nothing_else_is(corpus, core):
    folders, known = corpus
    code, verdicts = verified(core, folders.runs)
    outcome = build(dataclasses.replace(folders, core=core))
    assert code == 6
    by_core = {known[name][0] for name, why in verdicts.items() if why}
    by_build = {known[path][0] for path in refused_by_build(folders.database)}
    stated = {what for what, damaged in known.values() if damaged}
    assert by_core ^ stated == set()
    assert by_build ^ stated == set()
    assert outcome.loaded == len(damage.WHOLE)


def test_without_a_core_the_same_is_found_and_named(corpus):
    folders, known = corpus
    _, refused = read_all(folders.runs, SCHEMA)
    said = {known[one.path][0]: one.reason for one in refused}
    assert set(said) == {what for what, damaged in known.values() if damaged}
    assert {what: said[what] for what, word in damage.SAID.items() if word not in said[what]} == {}


@pytest.fixture
def strange(tmp_path):
    """A folder with one good record, and all kinds of other files."""
    runs = tmp_path / "runs"
    good = str(made_up.save(damage.record(), runs).relative_to(runs))
    # whole, and linked to from where it belongs: nothing but the link is wrong with it
    target = made_up.save(damage.record(2), tmp_path / "outside")
    outside = str(target.relative_to(tmp_path / "outside"))
    (runs / outside).parent.mkdir(parents=True)
    (runs / outside).symlink_to(target)
    os.mkfifo(runs / "fifo.json")
    (runs / "zero.json").symlink_to("/dev/zero")
    (runs / "nowhere.json").symlink_to("nowhere")
    (runs / "folder.json").mkdir()
    (runs / "linked").symlink_to(tmp_path)
    (runs / "unplugged").symlink_to("/nowhere/host")
    with (runs / "huge.json").open("wb") as file:
        file.truncate(1 << 40)
    odd = ["fifo", "zero", "nowhere", "folder", "huge"]
    odd = [f"{name}.json" for name in odd] + [outside, "linked", "unplugged"]
    # a folder of 1,200 inside each other: made from within, as no path is that long
    folder = os.open(runs, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("d", dir_fd=folder)
        inner = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    odd.append(DEEP)
    # where the file system takes any bytes
    no_text = runs / os.fsdecode(b"\xff{x}/a\n.json")
    with suppress(OSError):
        no_text.parent.mkdir()
        no_text.write_text("{}", encoding="utf-8")
        odd.append(NO_TEXT)
    yield runs, good, set(odd)
    # Python's own ways to remove folders recurse
    subprocess.run(["rm", "-rf", runs / "d"], check=True)


def test_other_kinds_of_files_are_refused_by_both_and_the_others_load(strange, core):
    runs, good, odd = strange
    code, verdicts = verified(core, runs)
    assert code == 6
    assert {name.replace("\ufffd", "?") for name, why in verdicts.items() if why} == odd
    assert [name for name, why in verdicts.items() if not why] == [good]
    for judge in (core, None):
        accepted, refused = read_all(runs, SCHEMA, core=judge)
        why = {one.path: one.reason for one in refused}
        assert (len(refused), why.keys()) == (len(odd), odd)
        assert "not a regular file but a FIFO" in why["fifo.json"]
        assert "a link that leads out" in why["zero.json"]
        assert "it is longer than" in why["huge.json"]
        assert "more than 32 deep" in why[DEEP]
        assert [one.cell for one in accepted] == [good.removesuffix(".json")]


def test_a_fifo_that_replaces_a_record_during_the_check_never_blocks(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "a.json")
    monkeypatch.setattr(record_files, "_refusal", lambda *_: None)
    signal.alarm(30)  # instead of waiting for ever
    try:
        with pytest.raises(DamageError, match="a FIFO"):
            record_files.content(tmp_path / "a.json")
    finally:
        signal.alarm(0)


def test_a_record_that_the_tables_cannot_be_made_with_is_found_and_refused_alone(folders):
    # without a core: by the schema alone, sizes may be any
    bad = set()
    for number in range(1, 8):
        made = damage.record(number)
        if number in (3, 6):
            for sample in made["samples"][:4]:
                sample["size_bytes"] = 2**62
            bad.add(path_of(made["cell"]))
        made_up.save(made, folders.runs)
    outcome = build(folders)
    assert (outcome.loaded, outcome.refused) == (5, 2)
    told = refused_by_build(folders.database)
    assert set(told) == bad
    assert all("the tables cannot be made with its values" in reason for reason in told.values())
