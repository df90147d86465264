"""Which hosts are accepted: real TLS connections between a coordinator, its hosts and strangers."""

import argparse
import errno
import json
import os
import shutil
import socket
import stat
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509

from console import ExitCode, StudyError
from fleet import __main__ as command
from fleet import config, connection
from fleet.certificates import FOLDER, CertificateStore, HostCertificate, read_certificate
from fleet.config import Coordinator, Host
from lock import held

COORDINATOR = Coordinator("127.0.0.1", 8786)
HOSTS = [Host("mac-a", "127.0.0.1"), Host("mac-b")]


@pytest.fixture
def store(tmp_path):
    """A coordinator with certificates for two hosts."""
    made = CertificateStore(tmp_path / "fleet")
    assert made.make(COORDINATOR, HOSTS) == ["mac-a", "mac-b"]
    return made


@pytest.fixture
def answering():
    """Listen as a party of the fleet would; returns the port."""
    open_sockets = []

    def listen(security, role):
        context = security.get_listen_args(role)["ssl_context"]
        server = socket.create_server(("127.0.0.1", 0))
        open_sockets.append(server)

        def accept():
            while True:
                try:
                    plain, _ = server.accept()
                except OSError:
                    return
                try:
                    with context.wrap_socket(plain, server_side=True) as secured:
                        secured.recv(1)
                except OSError:
                    plain.close()

        threading.Thread(target=accept, daemon=True).start()
        return server.getsockname()[1]

    yield listen
    for server in open_sockets:
        server.close()


def pass_of(store, slug):
    """The certificate of a host, as it was carried there."""
    return read_certificate(store.certificates / f"{slug}.certificate")


def test_a_host_with_its_certificate_is_accepted_and_learns_its_own_address(store, answering):
    port = answering(store.security, "scheduler")
    own = connection.attempt("127.0.0.1", port, pass_of(store, "mac-a").security, "worker")
    assert own == "127.0.0.1"


def test_the_coordinator_knows_which_host_answers(store, answering):
    port = answering(pass_of(store, "mac-a").security, "worker")
    connection.attempt("127.0.0.1", port, store.security_for("mac-a"), "scheduler")
    with pytest.raises(connection.RefusedError, match="its certificate is not known here"):
        connection.attempt("127.0.0.1", port, store.security_for("mac-b"), "scheduler")


def test_a_host_lets_no_other_host_in(store, answering):
    port = answering(pass_of(store, "mac-a").security, "worker")
    with pytest.raises(connection.RefusedError):
        connection.attempt("127.0.0.1", port, pass_of(store, "mac-b").security, "worker")


def test_only_what_hosts_were_given_can_be_revoked(store):
    name = f"../{store.coordinator_file.stem}"
    assert not store.revoke(name)
    assert store.coordinator_file.exists()


def test_a_revoked_host_is_refused_and_not_spoken_to(store, answering):
    kept = pass_of(store, "mac-a")
    assert store.revoke("mac-a")
    with pytest.raises(StudyError, match="mac-a has no certificate"):
        store.security_for("mac-a")
    port = answering(store.security, "scheduler")
    with pytest.raises(connection.RefusedError, match="our certificate is not known there"):
        connection.attempt("127.0.0.1", port, kept.security, "worker")
    connection.attempt("127.0.0.1", port, pass_of(store, "mac-b").security, "worker")


@pytest.mark.parametrize("says", [b"", b"SSH-2.0-OpenSSH\r\n"])
def test_who_ends_in_the_handshake_or_does_not_speak_tls_is_away_and_refuses_nobody(store, says):
    """Such as a coordinator that is killed then: its hosts wait for the next one."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            plain, _ = server.accept()
            with plain:
                plain.recv(10_000)
                plain.sendall(says)

        threading.Thread(target=answer, daemon=True).start()
        with pytest.raises(connection.AwayError):
            connection.attempt(*server.getsockname(), pass_of(store, "mac-a").security, "worker")


@pytest.mark.parametrize(
    ("number", "of_macos", "advises"),
    [
        (errno.EHOSTUNREACH, True, True),
        (errno.EHOSTUNREACH, False, False),
        (errno.ECONNREFUSED, True, False),
    ],
)
def test_where_macos_may_keep_a_program_from_the_network_what_allows_it_is_said(
    store, monkeypatch, number, of_macos, advises
):
    def barred(*_, **__):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(connection, "is_mac", lambda: of_macos)
    monkeypatch.setattr(socket, "create_connection", barred)
    with pytest.raises(connection.AwayError) as error:
        connection.attempt("192.0.2.1", 8786, store.security, "worker")
    assert ("Privacy & Security > Local Network" in error.value.advice) is advises
    assert (error.value.advice == "") is not advises


def test_a_certificate_vouches_for_no_other_and_lasts_for_ten_years(store):
    for path in (store.coordinator_file, *store.trusted.iterdir()):
        made = x509.load_pem_x509_certificate(path.read_bytes())
        assert made.extensions.get_extension_for_class(x509.BasicConstraints).value.ca is False
        begin = made.not_valid_before_utc
        assert made.not_valid_after_utc == begin + timedelta(days=3652), path
        assert timedelta(0) < datetime.now(UTC) - made.not_valid_before_utc < timedelta(hours=2)


def test_keys_are_readable_by_the_user_only(store):
    for path in (store.coordinator_file, *store.certificates.iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for folder in (store.folder, store.certificates):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.fixture
def called(tmp_path, monkeypatch, capsys):
    """What `fleet certificate` prints in a project with two hosts."""
    shutil.copytree(config.WORKFLOW / "config", tmp_path / config.FILE.parent)
    monkeypatch.chdir(tmp_path)

    def call(address="127.0.0.1", revoke=None):
        config.FILE.write_text(
            f"coordinator: {{address: {address}, port: 1}}\nhosts: {{mac-a: {{}}, mac-b: {{}}}}\n"
        )
        assert command._certificate(argparse.Namespace(revoke=revoke)) == ExitCode.DONE
        printed = capsys.readouterr()
        return printed.err + printed.out

    return call


def test_when_the_coordinator_moves_its_hosts_get_new_certificates(called, answering):
    called()
    printed = called("127.0.0.2")
    line = "its certificate leads to 127.0.0.1:1, and fleet.yaml to 127.0.0.2:1"
    for slug in ("mac-a", "mac-b"):
        assert f"diskbench: {slug}: {line}: a new one is made\n" in printed
    assert printed.count("diskbench: made ") == 2
    for one in ("the coordinator", "mac-a", "mac-b"):
        assert f"\n{one}: certificate valid until 20" in printed
    store = CertificateStore()
    own = pass_of(store, "mac-a")
    assert own.place == "127.0.0.2:1"
    connection.attempt("127.0.0.1", answering(store.security, "scheduler"), own.security, "worker")
    assert "made " not in called("127.0.0.2")


def test_a_running_coordinator_must_be_restarted_for_new_certificates(called):
    restart = "a coordinator is running here: restart it, or it refuses the new certificates"
    assert restart not in called()
    with held(FOLDER / command.LOCK, ""):
        assert restart not in called()
        assert restart in called("127.0.0.2")


def test_a_pass_says_who_and_where(store):
    one = pass_of(store, "mac-a")
    assert (one.slug, one.coordinator, one.port, one.address) == (
        "mac-a",
        "127.0.0.1",
        8786,
        "127.0.0.1",
    )
    assert pass_of(store, "mac-b").address is None


def test_a_private_key_is_known_to_its_owner_alone(store):
    one = pass_of(store, "mac-a")
    assert one.own.count("PRIVATE KEY-----\n") == 2
    for text in (one.trusted, *(path.read_text() for path in store.trusted.iterdir())):
        assert "PRIVATE" not in text


@pytest.mark.parametrize(
    "content",
    ["", "{}", json.dumps(dict.fromkeys(HostCertificate.__annotations__, "-----BEGIN CERT"))],
)
def test_an_invalid_certificate_is_refused_in_one_line(tmp_path, content):
    path = tmp_path / "host.certificate"
    path.write_text(content)
    with pytest.raises(StudyError, match="is not a certificate of a fleet: copy it again"):
        read_certificate(path)


def test_a_pass_that_is_missing_says_how_one_is_made(tmp_path):
    with pytest.raises(StudyError, match="is missing: on the coordinator, call"):
        read_certificate(tmp_path / "host.certificate")


def test_a_fleet_without_certificates_says_how_they_are_made(tmp_path):
    with pytest.raises(StudyError, match="has no certificates yet: call"):
        _ = CertificateStore(tmp_path / "fleet").security


@pytest.mark.parametrize("name", ["", "mac-z"])
def test_revoking_an_unknown_host_is_refused_and_makes_no_certificate(called, name):
    with pytest.raises(StudyError) as caught:
        called(revoke=name)
    assert caught.value.code == ExitCode.BAD_INPUT
    assert caught.value.line == f"fleet.yaml has no host '{name}': it has mac-a, mac-b"
    assert not Path(".diskbench").exists()
