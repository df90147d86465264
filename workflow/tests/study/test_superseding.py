"""Superseding a record: both are kept, and one of them is active at every instant."""

import errno
import hashlib
import json
import os
import sys

import pytest

import durable
from record import paths
from study import superseding

OLD, NEW = b'{"old": 1}', b'{"new": 1}'
TAG = hashlib.sha256(OLD).hexdigest()[:8]

# What can change a folder, by the names under which Python tells of calls (docs.python.org, audit events).
CALLS = {"open", "os.link", "os.rename", "os.remove", "os.truncate", "os.mkdir", "os.rmdir"}
seen = None
sys.addaudithook(lambda event, _: seen is not None and event in CALLS and seen())


@pytest.fixture
def at_every_call(monkeypatch):
    """Has a function called before each call that may change a file, and after the last one."""

    def watch(look, act):
        looking = False

        def once():
            nonlocal looking
            if not looking:
                looking = True
                look()
                looking = False

        monkeypatch.setattr(sys.modules[__name__], "seen", once)
        act()
        monkeypatch.setattr(sys.modules[__name__], "seen", None)
        look()

    return watch


@pytest.fixture
def record(tmp_path):
    (tmp_path / "runs").mkdir()
    path = tmp_path / "runs" / "fresh.json"
    path.write_bytes(OLD)
    return path


@pytest.fixture(params=["with hard links", "without hard links"])
def file_system(request, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EPERM, "Operation not permitted")

    if request.param == "without hard links":
        monkeypatch.setattr(os, "link", refuse)
    return request.param


def test_at_every_call_exactly_one_record_is_active_and_the_older_one_is_there(
    record, file_system, at_every_call
):
    states = []

    def look():
        assert paths(record.parent) == [record]
        active = record.read_bytes()
        kept = [path.read_bytes() for path in record.parent.glob("fresh.superseded-*.json")]
        assert kept in ([], [OLD])
        assert active == OLD or (active, kept) == (NEW, [OLD])
        states.append(active)

    at_every_call(look, lambda: superseding.replace(record, NEW))
    assert states[0] == OLD
    assert states[-1] == NEW
    assert len(states) > 3
    assert sorted(path.name for path in record.parent.iterdir()) == [
        "fresh.json",
        f"fresh.superseded-{TAG}.json",
    ]


def test_what_is_kept_is_on_the_disk_before_the_new_one_takes_its_place(
    record, file_system, monkeypatch
):
    synced = []

    def flush(descriptor):
        one = os.fstat(descriptor)
        places = {path.stat().st_ino: path for path in record.parent.glob(".*")}
        place = places.get(one.st_ino, record.parent)
        assert os.path.samestat(one, place.stat())
        kept = sum(1 for _ in record.parent.glob("fresh.superseded-*.json"))
        synced.append((place.suffix or place.name, kept, record.read_bytes()))

    monkeypatch.setattr(durable, "flush", flush)
    superseding.replace(record, NEW)
    copied = [] if file_system == "with hard links" else [(".partial", 0, OLD)]
    assert synced == [*copied, ("runs", 1, OLD), (".partial", 1, OLD), ("runs", 1, NEW)]


# all but the longest name, which has the whole checksum
@pytest.mark.parametrize("last", [8, 63])
def test_nothing_is_overwritten_where_the_names_up_to_one_are_taken(record, last):
    digits = hashlib.sha256(OLD).hexdigest()
    taken = [
        record.with_name(f"fresh.superseded-{digits[:length]}.json")
        for length in range(8, last + 1)
    ]
    for other in taken:
        other.write_bytes(b"something else")
    aside = superseding.replace(record, NEW)
    assert {other.read_bytes() for other in taken} == {b"something else"}
    assert aside.read_bytes() == OLD
    assert aside.name == f"fresh.superseded-{digits[: last + 1]}.json"


@pytest.mark.parametrize(
    ("first", "second", "active"),
    [
        ("measured", "failed", "first"),
        ("measured", "measured", "second"),
        ("failed", "failed", "second"),
        ("skipped", "measured", "second"),
        # a damaged record counts no longer
        ("damaged", "failed", "second"),
    ],
)
def test_only_a_measured_record_takes_the_place_of_a_measured_one(
    record, signed, first, second, active
):
    """The same cases as in the core's store.rs."""
    old = signed({"status": "measured" if first == "damaged" else first, "number": 1})
    if first == "damaged":
        old = old.replace('"number": 1', '"number": 3')
    new = signed({"status": second, "number": 2})
    record.write_text(old)
    aside = superseding.replace(record, new.encode())
    both = (old, new) if active == "first" else (new, old)
    assert (record.read_text(), aside.read_text()) == both
    kept = json.loads(both[1])["sha256"]
    if first == "damaged":
        kept = hashlib.sha256(old.encode()).hexdigest()
    assert sorted(path.name for path in record.parent.iterdir()) == [
        "fresh.json",
        f"fresh.superseded-{kept[:8]}.json",
    ]


def test_what_a_killed_call_had_kept_already_is_kept_once(record):
    record.with_name(f"fresh.superseded-{TAG}.json").write_bytes(OLD)
    superseding.replace(record, NEW)
    assert len(list(record.parent.iterdir())) == 2
