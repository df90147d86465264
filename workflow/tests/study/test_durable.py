"""Atomic writing of files, the order of syncs, and locks: one call at a time."""

import errno
import os
import stat
from contextlib import nullcontext

import pytest

import durable
from console import StudyError
from lock import held


def test_a_write_that_fails_leaves_the_file_as_it_was(tmp_path):
    file = tmp_path / "file"
    durable.write(file, "old")
    with pytest.raises(UnicodeEncodeError):
        durable.write(file, "half of a character: \ud800")
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_private_file_is_private_even_if_it_replaces_another(tmp_path):
    file = tmp_path / "key"
    for there in (file, tmp_path / ".key.partial"):
        there.write_text("")
        there.chmod(0o644)
    durable.write(file, "secret", mode=0o600)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_content_is_on_the_disk_before_it_takes_its_place(tmp_path, monkeypatch):
    file = tmp_path / "folder" / "file"
    synced = []

    def flush(descriptor):
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        synced.append((is_folder, file.exists()))

    monkeypatch.setattr(durable, "flush", flush)
    durable.write(file, "fast")
    assert synced == []
    file.unlink()
    durable.write(file, "slow", synced=True)
    assert synced == [(False, False), (True, True)]
    synced.clear()
    durable.write(tmp_path / "new" / "folders" / "file", "slow", synced=True)
    assert [is_folder for is_folder, _ in synced] == [False, True, True, True]


@pytest.mark.parametrize(
    ("refusal", "calls"),
    [(0, [51]), (errno.ENOTSUP, [51, "fsync"]), (errno.EIO, [51])],
)
def test_macos_empties_the_cache_of_the_drive_too_where_the_file_system_can(
    tmp_path, monkeypatch, refusal, calls
):
    called = []

    def fcntl(_, command):
        called.append(command)
        if refusal:
            raise OSError(refusal, os.strerror(refusal))

    # its number in macOS's fcntl.h
    monkeypatch.setattr(durable.fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(durable.fcntl, "fcntl", fcntl)
    monkeypatch.setattr(os, "fsync", lambda _: called.append("fsync"))
    with pytest.raises(OSError) if refusal == errno.EIO else nullcontext():
        durable.sync(tmp_path)
    assert called == calls


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_must_not_be_replaced_stays(tmp_path, monkeypatch, links):
    file = tmp_path / "file"

    def refuse(*_):
        raise OSError(errno.EPERM, "Operation not permitted")

    if not links:
        monkeypatch.setattr(os, "link", refuse)
    durable.write(file, "old", replaces=False)
    with pytest.raises(FileExistsError):
        durable.write(file, "new", replaces=False)
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_lock_is_refused_while_it_is_held_and_free_again_though_its_file_stays(tmp_path):
    path = tmp_path / "one.lock"
    for _ in range(2):
        with held(path, "wait for it"):
            with pytest.raises(StudyError) as refused, held(path, "wait for it"):
                pytest.fail("two have it")
            assert (refused.value.code, refused.value.line) == (5, "wait for it")
        assert path.exists()
