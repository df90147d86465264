"""What a host's terminal says when the desk does not take its worker, or when it has one already."""

import asyncio

import pytest

from console import ExitCode, StudyError
from fleet import worker
from fleet.certificates import Pass
from fleet.worker import not_let_in
from lock import held

OWN = Pass("mac-b", "192.0.2.1", 8786, None, "", "")


def failed(cause):
    """As Dask's worker fails to start."""
    error = RuntimeError("Slot failed to start.")
    error.__cause__ = cause
    return error


def test_a_pass_that_is_on_two_hosts_is_said_to_be():
    cause = ValueError("Unexpected response from register: {'message': 'name taken, mac-b'}")
    line = not_let_in(OWN, failed(cause))
    assert "192.0.2.1 has a worker called mac-b already" in line
    assert "host.pass is not this host's" in line


def test_a_desk_that_does_not_answer_is_tried_again():
    assert not_let_in(OWN, failed(TimeoutError())) == (
        "the desk at 192.0.2.1 does not answer: trying again"
    )


def test_a_host_offers_one_worker(monkeypatch, tmp_path):
    monkeypatch.setattr(worker, "LOCK", tmp_path / "worker.lock")
    with held(worker.LOCK, ""), pytest.raises(StudyError) as error:
        asyncio.run(asyncio.wait_for(worker.offer(OWN), 10))
    assert error.value.code == ExitCode.BUSY
    assert error.value.line.startswith("a worker of this folder runs already")
