"""Records come home whole, once, and never over another; a node keeps none that is at home."""

import hashlib
import json
import os

import pytest

from slurm import delivery

PLACE = "node-a/debian-12/usage-phases-smoke/internal/native/native-none/1"


def text(number: int) -> str:
    """A record with its checksum, made as the design says: sorted keys, no spaces."""
    record = {"number": number}
    canonical = json.dumps(record, sort_keys=True, separators=(",", ":"))
    return json.dumps(record | {"sha256": hashlib.sha256(canonical.encode()).hexdigest()})


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def node(tmp_path):
    return tmp_path / "node"


def put(runs, name, content, place=PLACE):
    path = runs / place / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def everything(runs):
    return {
        path.relative_to(runs).as_posix(): path.read_text(encoding="utf-8")
        for path in runs.rglob("*")
        if path.is_file()
    }


def test_a_new_record_comes_home_and_is_taken_away_on_the_node(home, node):
    put(node, "fresh.json", text(1))
    delivered = delivery.bring(node, home, "node-a")
    assert delivered.brought == [f"{PLACE}/fresh.json"]
    assert delivered.kept == []
    assert everything(home) == {f"{PLACE}/fresh.json": text(1)}
    assert not (node / "node-a").exists()


def test_a_record_keeps_the_time_at_which_it_was_measured(home, node):
    measured_ns = put(node, "fresh.json", text(1)).stat().st_mtime_ns
    delivery.bring(node, home, "node-a")
    assert (home / PLACE / "fresh.json").stat().st_mtime_ns == measured_ns


def test_a_record_that_is_home_already_is_only_taken_away(home, node):
    kept = put(home, "fresh.json", text(1)).stat()
    put(node, "fresh.json", text(1))
    delivered = delivery.bring(node, home, "node-a")
    assert (delivered.brought, delivered.kept) == ([], [])
    now = (home / PLACE / "fresh.json").stat()
    assert (now.st_ino, now.st_mtime_ns) == (kept.st_ino, kept.st_mtime_ns)
    assert everything(node) == {}


def test_another_record_of_the_same_cell_is_never_overwritten(home, node):
    put(home, "fresh.json", text(1))
    put(node, "fresh.json", text(2))
    delivered = delivery.bring(node, home, "node-a")
    assert delivered.kept == [(f"{PLACE}/fresh.json", "another record of this cell is at home")]
    assert everything(home) == {f"{PLACE}/fresh.json": text(1)}
    assert everything(node) == {f"{PLACE}/fresh.json": text(2)}


def test_a_record_that_appears_at_home_meanwhile_is_not_overwritten(home, node, monkeypatch):
    put(node, "fresh.json", text(2))
    link = delivery.os.link

    def another_comes_first(source, target):
        target.write_text(text(1), encoding="utf-8")
        link(source, target)

    monkeypatch.setattr(delivery.os, "link", another_comes_first)
    delivered = delivery.bring(node, home, "node-a")
    assert delivered.kept == [(f"{PLACE}/fresh.json", "another record of this cell is at home")]
    assert everything(home) == {f"{PLACE}/fresh.json": text(1)}


@pytest.mark.parametrize("content", [text(1)[:-9], text(1).replace("1", "2", 1), "{}"])
def test_a_damaged_record_stays_on_the_node(home, node, content):
    put(node, "fresh.json", content)
    delivered = delivery.bring(node, home, "node-a")
    assert delivered.brought == []
    assert [name for name, _ in delivered.kept] == [f"{PLACE}/fresh.json"]
    assert everything(home) == {}
    assert everything(node) == {f"{PLACE}/fresh.json": content}


def test_what_is_damaged_on_the_way_does_not_get_its_name_at_home(home, node, monkeypatch):
    put(node, "fresh.json", text(1))

    def cut(read, written):
        written.write(read.read()[:-5])

    monkeypatch.setattr(delivery.shutil, "copyfileobj", cut)
    delivered = delivery.bring(node, home, "node-a")
    ((_, reason),) = delivered.kept
    assert reason.startswith("what was copied home is not what is here")
    assert everything(home) == {}
    assert everything(node) == {f"{PLACE}/fresh.json": text(1)}


def test_a_cell_that_was_measured_again_has_both_records_at_home(home, node):
    put(home, "fresh.json", text(1))
    put(node, "fresh.superseded-01234567.json", text(1))
    put(node, "fresh.json", text(2))
    delivered = delivery.bring(node, home, "node-a")
    assert delivered.kept == []
    at_home = everything(home)
    assert at_home.pop(f"{PLACE}/fresh.json") == text(2)
    ((aside, content),) = at_home.items()
    assert aside.startswith(f"{PLACE}/fresh.superseded-")
    assert content == text(1)
    assert everything(node) == {}


def test_home_has_an_active_record_whatever_becomes_of_its_successor(home, node, monkeypatch):
    put(home, "fresh.json", text(1))
    put(node, "fresh.superseded-01234567.json", text(1))
    put(node, "fresh.json", text(2)[:-5])
    delivered = delivery.bring(node, home, "node-a")
    assert [name for name, _ in delivered.kept] == [f"{PLACE}/fresh.json"]
    assert everything(home) == {f"{PLACE}/fresh.json": text(1)}
    put(node, "fresh.superseded-01234567.json", text(1))
    put(node, "fresh.json", text(2))

    def die(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", die)
    monkeypatch.setattr("pathlib.Path.replace", die)
    with pytest.raises(KeyboardInterrupt):
        delivery.bring(node, home, "node-a")
    assert everything(home)[f"{PLACE}/fresh.json"] == text(1)


def test_half_written_records_and_those_of_other_hosts_are_left_alone(home, node):
    put(node, ".fresh.json.partial", "half")
    put(node, ".fresh.json", "half")
    put(node, "fresh.json", text(1), place="node-b/x")
    delivered = delivery.bring(node, home, "node-a")
    assert (delivered.brought, delivered.kept) == ([], [])
    assert not home.exists()
    assert len(everything(node)) == 3


def test_a_node_is_given_the_records_of_its_host_and_nothing_else(home, node):
    put(home, "fresh.json", text(1))
    put(home, "fresh.superseded-01234567.json", text(0))
    put(home, "fresh.json", text(3), place="node-b/x")
    delivery.send(home, node, "node-a")
    assert everything(node) == {
        f"{PLACE}/fresh.json": text(1),
        f"{PLACE}/fresh.superseded-01234567.json": text(0),
    }


def test_what_a_node_still_has_is_not_overwritten_by_what_it_is_given(home, node):
    put(home, "fresh.json", text(1))
    put(node, "fresh.json", text(2))
    delivery.send(home, node, "node-a")
    assert everything(node) == {f"{PLACE}/fresh.json": text(2)}


def test_no_link_at_home_leads_what_a_node_measured_elsewhere(home, node, tmp_path):
    theirs = put(tmp_path, "fresh.json", "theirs", "elsewhere/" + PLACE.partition("/")[2])
    home.mkdir()
    (home / "node-a").symlink_to(tmp_path / "elsewhere")
    put(node, "fresh.json", text(1))
    put(node, "emptied.json", text(2))
    delivered = delivery.bring(node, home, "node-a")
    assert delivered.brought == []
    assert {name for name, _ in delivered.kept} == {f"{PLACE}/fresh.json", f"{PLACE}/emptied.json"}
    assert all("is a link" in reason for _, reason in delivered.kept)
    assert theirs.read_text() == "theirs"
    assert not theirs.with_name("emptied.json").exists()


def test_what_is_no_regular_file_stays_on_the_node_and_is_not_waited_for(home, node):
    put(node, "fresh.json", text(1))
    os.mkfifo(node / PLACE / "fifo.json")
    (node / PLACE / "zero.json").symlink_to("/dev/zero")
    put(home, "fifo.json", text(2))
    delivered = delivery.bring(node, home, "node-a")
    assert delivered.brought == [f"{PLACE}/fresh.json"]
    assert {name for name, _ in delivered.kept} == {f"{PLACE}/fifo.json", f"{PLACE}/zero.json"}
    assert all("not a regular file" in reason for _, reason in delivered.kept)
