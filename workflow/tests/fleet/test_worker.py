"""What a host's terminal says when the coordinator does not take its worker, or when it has one already;
and what ends a worker."""

import asyncio
import errno
import os
import signal
import socket
import ssl
import subprocess

import psutil
import pytest
from distributed import Client

from console import ExitCode, StudyError
from fleet import connection, measuring, scheduler, settings, tasks, worker
from fleet.certificates import CertificateStore, HostCertificate, read_certificate
from fleet.config import Coordinator, Host
from fleet.worker import not_let_in
from lock import held

# TEST-NET-1 and TEST-NET-3 of RFC 5737: nobody's
OWN = HostCertificate("mac-b", "192.0.2.1", 8786, "203.0.113.9", "", "")


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        (TimeoutError(), "the coordinator at 192.0.2.1 does not answer: trying again"),
        (
            ValueError("Unexpected response from register: {'message': 'name taken, mac-b'}"),
            "the coordinator at 192.0.2.1 already has a worker called mac-b: if it is another "
            "machine, .diskbench/fleet/host.certificate is not this host's; trying again",
        ),
        (
            OSError(errno.EADDRNOTAVAIL, "Cannot assign requested address"),
            "this machine has no address 203.0.113.9, which .diskbench/fleet/host.certificate "
            "names: if that is this host's, change its `address`, or set it to null; trying again",
        ),
    ],
)
def test_a_coordinator_that_does_not_take_a_worker_is_tried_again_and_why_is_said(cause, said):
    as_dask_has_it = RuntimeError("Slot failed to start.")
    as_dask_has_it.__cause__ = cause
    assert not_let_in(OWN, as_dask_has_it) == said


@pytest.fixture
def offered(monkeypatch, tmp_path):
    """Offer the host for so many seconds, where each attempt to connect comes to this."""
    monkeypatch.setattr(worker, "LOCK", tmp_path / "worker.lock")
    monkeypatch.setattr(HostCertificate, "security", None)

    def offer(attempt, seconds=10):
        monkeypatch.setattr(worker.connection, "attempt", attempt)
        asyncio.run(asyncio.wait_for(worker.offer(OWN), seconds))

    return offer


def test_a_host_offers_one_worker(offered):
    with held(worker.LOCK, ""), pytest.raises(StudyError) as error:
        offered(None)
    assert error.value.code == ExitCode.BUSY
    assert error.value.line.startswith("a worker already runs in this folder")


def test_a_worker_that_the_coordinator_drops_at_once_pauses_before_it_connects_again(
    offered, monkeypatch
):
    served = []

    async def serve(*_):
        served.append(1)

    monkeypatch.setattr(worker, "_serve", serve)
    with pytest.raises(TimeoutError):
        offered(lambda *_: "127.0.0.1", worker.ATTEMPT_SECONDS / 2)
    assert served == [1]


def test_a_worker_that_macos_keeps_from_the_network_says_once_what_allows_it(
    offered, monkeypatch, capsys
):
    tried = []

    def attempt(*_):
        tried.append(1)
        raise connection.AwayError("No route to host", "allow it")

    monkeypatch.setattr(worker, "ATTEMPT_SECONDS", 0.01)
    with pytest.raises(TimeoutError):
        offered(attempt, 0.5)
    assert len(tried) > 1
    [line] = capsys.readouterr().err.splitlines()
    assert line == f"diskbench: waiting for the coordinator at {OWN.place}; allow it"


def test_a_worker_that_is_refused_says_what_to_do_first(offered):
    def attempt(*_):
        raise connection.RefusedError("no")

    with pytest.raises(StudyError, match=r"for each other: no; there, restart .*--revoke mac-b"):
        offered(attempt)


@pytest.fixture
def coordinator(monkeypatch, tmp_path):
    """Offer a host to a real scheduler, do something once it is there; gives the exit code."""
    monkeypatch.setattr(worker, "LOCK", tmp_path / "worker.lock")
    monkeypatch.setattr(worker, "SCRATCH", tmp_path / "scratch")
    settings.apply(tmp_path / "fleet.log")

    async def story(once, do, address):
        where = Coordinator(address, _free_port(address))
        store = CertificateStore(tmp_path / "fleet")
        store.make(where, [Host("mac-a")])
        own = read_certificate(store.certificates / "mac-a.certificate")
        came = asyncio.Event()
        arrivals = scheduler.Arrivals(lambda *_: came.set(), lambda *_: None)
        async with scheduler.scheduler(where, store, arrivals) as one:
            offered = asyncio.create_task(worker.offer(own, once))
            await came.wait()
            address, security = scheduler.own_address(one), store.security
            async with Client(address, asynchronous=True, security=security) as client:
                await do(client)
                return await offered

    def run(once, do, address="127.0.0.1"):
        return asyncio.run(asyncio.wait_for(story(once, do, address), 60))

    return run


def _free_port(address):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.create_server((address, 0), family=family) as server:
            return server.getsockname()[1]
    except OSError:
        pytest.skip(f"this machine has no address {address}")


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_a_worker_of_one_study_ends_when_the_coordinator_dismisses_it_with_the_code_it_gives(
    coordinator, address
):
    async def dismiss(client):
        assert await client.submit(lambda: tasks.introduce()["once"])
        client.submit(tasks.dismiss, ExitCode.CELL_FAILED.value)

    assert coordinator(True, dismiss, address) == ExitCode.CELL_FAILED


def test_a_plan_that_takes_long_does_not_outlive_its_worker(coordinator, monkeypatch):
    planning = subprocess.Popen(["sleep", "3600"], start_new_session=True)
    monkeypatch.setattr(measuring, "_planning", planning)

    async def dismiss(client):
        client.submit(tasks.dismiss, ExitCode.DONE.value)

    try:
        assert coordinator(True, dismiss) == ExitCode.DONE
        assert planning.wait(10) == -signal.SIGINT
    finally:
        planning.kill()


def test_nothing_listens_but_at_the_configured_addresses_and_to_certificates(coordinator):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE

    def without_a_certificate(address):
        with (
            pytest.raises(ssl.SSLError, match="CERTIFICATE_REQUIRED"),
            socket.create_connection(address, timeout=10) as plain,
            context.wrap_socket(plain) as secured,
        ):
            secured.recv(1)

    async def look(client):
        sockets = psutil.Process().net_connections("inet")
        listening = [one.laddr for one in sockets if one.status == psutil.CONN_LISTEN]
        # the coordinator, and the worker
        assert [address.ip for address in listening] == ["127.0.0.1"] * 2
        for address in listening:
            await asyncio.to_thread(without_a_certificate, address)
        client.submit(tasks.dismiss, ExitCode.DONE.value)

    assert coordinator(True, look) == ExitCode.DONE


@pytest.mark.parametrize("number", worker.SIGNALS)
def test_a_worker_ends_on_request(coordinator, number):
    async def ask(client):
        assert not await client.submit(lambda: tasks.introduce()["once"])
        os.kill(os.getpid(), number)

    handler = signal.getsignal(number)
    try:
        signal.signal(number, signal.SIG_DFL)
        assert coordinator(False, ask) == ExitCode.INTERRUPTED
    finally:
        signal.signal(number, handler)
