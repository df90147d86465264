"""Records sent by a host are checked as untrusted, and never overwrite."""

import dataclasses
import errno
import hashlib
import json
import os
import tempfile
from pathlib import Path

import pytest
from sent_records import record, sent, signed
from tree import below

import durable
from fleet import filing
from fleet.filing import Archive
from fleet.tasks import sum_of


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """An empty one; the core has no part in it."""
    monkeypatch.setattr(filing, "CORE", None)
    return Archive(tmp_path / "runs")


def test_a_record_is_synced_before_it_is_there_and_every_folder_that_is_new_after_that(
    archive, monkeypatch
):
    one, other = sent(record()), sent(record(phase="emptied"))
    final = archive.runs / f"{one.cell}.json"
    synced = []

    def sync(path):
        synced.append((path.relative_to(archive.runs.parent).as_posix(), final.exists()))

    monkeypatch.setattr(durable, "sync", sync)
    archive.runs.mkdir()
    archive.file([one])
    steps = one.cell.split("/")[:-1]
    folders = ["/".join(["runs", *steps[:count]]) for count in range(len(steps) + 1)]
    assert synced[0] == (f"{folders[-1]}/.{final.name}.partial", False)
    assert sorted(synced[1:]) == [(folder, True) for folder in folders]
    synced.clear()
    archive.file([other])
    assert [path for path, _ in synced] == [f"{folders[-1]}/.emptied.json.partial", folders[-1]]


def test_a_record_that_comes_twice_is_filed_once_and_left_as_it_is(archive):
    one = sent(record())
    archive.file([one])
    before = (archive.runs / f"{one.cell}.json").stat()
    assert archive.file([one]) == ([one], [])
    after = (archive.runs / f"{one.cell}.json").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert len(below(archive.runs)) == 1


def timed(elapsed_ns):
    """A record whose first file took so long, without a new checksum."""
    made = record()
    made["samples"][0]["elapsed_ns"] = elapsed_ns
    return made


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (sent(timed(1)), "its checksum does not match its content"),
        (sent(signed(timed(0))), "a file took no time"),
        (sent(signed(record() | {"warnings": ["Jane's Mac mini"]})), "it holds a person's name"),
        (sent(record(host="mac-b"), host="mac-a"), "it is not a record of this host"),
        (
            dataclasses.replace(sent(record()), cell=sent(record(phase="emptied")).cell),
            "it is in the wrong place",
        ),
    ],
)
def test_a_record_that_is_not_acceptable_is_refused_with_the_reason(archive, one, reason):
    filed, (refusal,) = archive.file([one])
    assert filed == []
    assert refusal.reason.startswith(reason)
    assert below(archive.runs) == {}


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[]", b'{"record_version": 99}'])
def test_what_is_no_record_is_refused_and_the_others_are_filed_byte_for_byte(archive, content):
    good, bad = sent(record()), dataclasses.replace(sent(record(phase="emptied")), content=content)
    filed, refused = archive.file([bad, good])
    assert filed == [good]
    assert [refusal.cell for refusal in refused] == [bad.cell]
    assert below(archive.runs) == {f"{good.cell}.json": good.content}


def test_nothing_is_filed_on_the_verdict_of_another_record(archive):
    """Of a name that is the same on many disks."""
    good = sent(record())
    bad = dataclasses.replace(good, cell=good.cell.replace("fresh", "Fresh"), content=b"{")
    filed, refused = archive.file([bad, good])
    assert filed == []
    assert [one.cell for one in refused] == [good.cell, bad.cell]
    assert below(archive.runs) == {}


@pytest.fixture
def outside(archive):
    """A file of somebody else's beside `data/runs`, at each place that a name below may lead to."""
    home = archive.runs.parent
    paths = [
        home / "theirs.json",
        home / "elsewhere" / "theirs.json",
        archive.runs / "mac-b" / "theirs.json",
        archive.runs / "theirs.json",
    ]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"theirs")
    return paths


LEADING_ELSEWHERE = [
    f"mac-a/{'../' * steps}{where}theirs"
    for steps in range(1, 5)
    for where in ("", "elsewhere/", "mac-b/")
]
NO_PLACE = [
    "mac-a", "mac-a//x", "mac-a/./x", "mac-a/x\ny", "mac-a/x\0y", "mac-a/\udcff", f"mac-a/{'x' * 300}",
    f"mac-a{'/x' * 2000}", "/etc/passwd", "../theirs",
]  # fmt: skip


@pytest.mark.parametrize("cells", [LEADING_ELSEWHERE, NO_PLACE], ids=["elsewhere", "nowhere"])
def test_a_name_that_leads_elsewhere_is_refused_and_what_is_there_survives(archive, outside, cells):
    good, home = sent(record()), archive.runs.parent
    named = [*cells, f"{home}/theirs", f"mac-a/{home}/theirs", f"{good.cell}/..", f"{good.cell}/x"]
    before = below(home)
    filed, refused = archive.file([*(dataclasses.replace(good, cell=one) for one in named), good])
    assert below(home) == before | {f"runs/{good.cell}.json": good.content}
    assert all(path.read_bytes() == b"theirs" for path in outside)
    assert filed == [good]
    assert len(refused) == len(named)


@pytest.mark.parametrize("depth", [1, 2, 7, 8])
def test_a_link_on_the_way_is_not_followed(archive, outside, depth):
    """Depth 8 is the file itself."""
    one, home = sent(record()), archive.runs.parent
    link = archive.runs / "/".join(f"{one.cell}.json".split("/")[:depth])
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside[1] if depth == 8 else outside[1].parent)
    filed, (refusal,) = archive.file([one])
    assert filed == []
    assert "is a link" in refusal.reason
    assert link.is_symlink()
    assert below(home / "elsewhere") == {"theirs.json": b"theirs"}


def test_a_cell_that_was_measured_again_takes_the_place_and_the_older_is_set_aside(archive):
    older, newer = sent(record(minute=0)), sent(record(minute=5))
    archive.file([older])
    archive.file([newer])
    sum_of_older = json.loads(older.content)["sha256"]
    assert below(archive.runs) == {
        f"{newer.cell}.json": newer.content,
        f"{older.cell}.superseded-{sum_of_older[:8]}.json": older.content,
    }


def test_a_failure_to_measure_again_is_kept_beside_the_measured_record(archive):
    measured = sent(record(minute=0))
    made = record(minute=5)
    failed = sent(signed(made | {"status": "failed", "reason": "the cable fell out"}))
    archive.file([measured])
    for _ in range(2):
        assert archive.file([failed]) == ([failed], [])
        sum_of_failed = json.loads(failed.content)["sha256"]
        assert below(archive.runs) == {
            f"{measured.cell}.json": measured.content,
            f"{failed.cell}.superseded-{sum_of_failed[:8]}.json": failed.content,
        }
        assert archive.sums("mac-a") == {failed.cell: sum_of(failed.content)}


def test_an_older_record_never_takes_the_place_of_a_newer(archive):
    newer = sent(record(minute=5))
    archive.file([newer])
    filed, (refusal,) = archive.file([sent(record(minute=0))])
    assert filed == []
    assert refusal.reason == "another record of this cell is here, and was measured later"
    assert below(archive.runs) == {f"{newer.cell}.json": newer.content}


def test_a_record_that_is_copied_here_at_the_same_time_is_not_overwritten(archive, monkeypatch):
    one = sent(record())
    link = durable.link

    def somebody_is_quicker(source, final):
        final.write_bytes(b"theirs")
        link(source, final)

    monkeypatch.setattr(durable, "link", somebody_is_quicker)
    filed, (refusal,) = archive.file([one])
    assert filed == []
    assert refusal.reason.startswith("another record of this cell arrived")
    assert below(archive.runs) == {f"{one.cell}.json": b"theirs"}


def test_a_full_disk_of_temporary_files_is_named(archive, monkeypatch, tmp_path):
    def full(path, content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "small"))
    (tmp_path / "small").mkdir()
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError) as caught:
        archive.file([sent(record())])
    assert Path(caught.value.filename).parent == tmp_path / "small"


def test_the_sums_of_a_hosts_records_are_those_of_their_bytes(archive):
    mine, other = sent(record()), sent(record(host="mac-ab"), host="mac-ab")
    archive.file([mine, other])
    assert archive.sums("mac-a") == {mine.cell: hashlib.sha256(mine.content).hexdigest()}
