"""Dask's dashboard: on loopback, over TLS, and for the one browser that has a certificate."""

import asyncio
import http.client
import socket
import ssl

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.serialization import pkcs12
from gate import PATIENCE_SECONDS

from fleet import scheduler, settings
from fleet.certificates import CertificateStore
from fleet.config import Coordinator, Host


@pytest.fixture
def free_port():
    """Gives ports that nobody listens at."""

    def find():
        with socket.create_server(("127.0.0.1", 0)) as server:
            return server.getsockname()[1]

    return find


@pytest.fixture
def served(tmp_path, free_port):
    """A coordinator, and what its dashboard answers: `served(store, context)`, None for in the clear."""
    settings.apply(tmp_path / "fleet.log")
    coordinator = Coordinator("127.0.0.1", free_port(), free_port())

    def fetch(context):
        if context is None:
            connection = http.client.HTTPConnection(
                "127.0.0.1", coordinator.dashboard_port, timeout=PATIENCE_SECONDS
            )
        else:
            connection = http.client.HTTPSConnection(
                "127.0.0.1", coordinator.dashboard_port, timeout=PATIENCE_SECONDS, context=context
            )
        try:
            connection.request("GET", "/status")
            return connection.getresponse().status
        except (OSError, http.client.HTTPException) as error:
            return type(error).__name__
        finally:
            connection.close()

    async def answers(store, *contexts):
        arrivals = scheduler.Arrivals(lambda *_: None, lambda *_: None)
        async with scheduler.scheduler(coordinator, store, arrivals):
            return [await asyncio.to_thread(fetch, context) for context in contexts]

    store = CertificateStore(tmp_path / "fleet")
    store.make(coordinator, [Host("mac-a")])
    return store, lambda *contexts: asyncio.run(answers(store, *contexts))


def trusting(store, own=None):
    """A browser that knows the coordinator's certificate, and may have one of its own."""
    context = ssl.create_default_context(cafile=str(store.coordinator_file))
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if own:
        context.load_cert_chain(own)
    return context


def imported(path, password, into):
    """What a browser has of the file that it imported, as PEM."""
    key, certificate, _ = pkcs12.load_key_and_certificates(path.read_bytes(), password)
    into.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return into


def test_only_the_browser_that_has_the_certificate_sees_it(served, tmp_path):
    store, answers = served
    own = imported(store.make_for_browser("secret"), b"secret", tmp_path / "browser.pem")
    other = CertificateStore(tmp_path / "other")
    other.make(Coordinator("127.0.0.1", 1, 2), [Host("mac-a")])
    stranger = imported(other.make_for_browser("x"), b"x", tmp_path / "stranger.pem")
    with_own, without, strangers, clear = answers(
        trusting(store, own), trusting(store), trusting(store, stranger), None
    )
    assert with_own in (200, 302)
    assert not isinstance(without, int)
    assert not isinstance(strangers, int)
    assert not isinstance(clear, int)


def test_without_a_browsers_certificate_there_is_no_dashboard(served):
    store, answers = served
    assert answers(trusting(store)) == ["ConnectionRefusedError"]
