"""Who is let in: real TLS connections between a desk, its hosts and strangers."""

import socket
import ssl
import stat
import threading
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509

from console import StudyError
from fleet import door
from fleet.certificates import Office, read_pass
from fleet.config import Desk, Host

DESK = Desk("127.0.0.1", 8786, 8787)
HOSTS = [Host("mac-a", "127.0.0.1"), Host("mac-b")]


@pytest.fixture
def office(tmp_path):
    """A desk with passes for two hosts."""
    made = Office(tmp_path / "fleet")
    assert made.make(DESK, HOSTS) == ["mac-a", "mac-b"]
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


def pass_of(office, slug):
    """The pass of a host, as it was carried there."""
    return read_pass(office.passes / f"{slug}.pass")


def test_a_host_with_its_pass_is_let_in_and_learns_its_own_address(office, answering):
    port = answering(office.security, "scheduler")
    own = door.knock("127.0.0.1", port, pass_of(office, "mac-a").security, "worker")
    assert own == "127.0.0.1"


def test_the_desk_knows_which_host_answers(office, answering):
    port = answering(pass_of(office, "mac-a").security, "worker")
    door.knock("127.0.0.1", port, office.security_for("mac-a"), "scheduler")
    with pytest.raises(door.RefusedError, match="its certificate is not known here"):
        door.knock("127.0.0.1", port, office.security_for("mac-b"), "scheduler")


def test_a_host_that_was_revoked_is_not_spoken_to(office):
    office.revoke("mac-a")
    with pytest.raises(StudyError, match="mac-a has no certificate"):
        office.security_for("mac-a")


def test_a_host_lets_no_other_host_in(office, answering):
    port = answering(pass_of(office, "mac-a").security, "worker")
    with pytest.raises(door.RefusedError):
        door.knock("127.0.0.1", port, pass_of(office, "mac-b").security, "worker")


def test_the_pass_of_another_fleet_is_refused_on_both_sides(office, answering, tmp_path):
    other = Office(tmp_path / "other")
    other.make(DESK, HOSTS)
    port = answering(office.security, "scheduler")
    with pytest.raises(door.RefusedError, match="its certificate is not known here"):
        door.knock("127.0.0.1", port, pass_of(other, "mac-a").security, "worker")


def test_a_revoked_host_is_not_let_in(office, answering):
    kept = pass_of(office, "mac-a")
    assert office.revoke("mac-a")
    port = answering(office.security, "scheduler")
    with pytest.raises(door.RefusedError, match="our certificate is not known there"):
        door.knock("127.0.0.1", port, kept.security, "worker")
    door.knock("127.0.0.1", port, pass_of(office, "mac-b").security, "worker")


def test_without_a_certificate_nobody_is_let_in(office, answering):
    port = answering(office.security, "scheduler")
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with (
        pytest.raises(ssl.SSLError, match="CERTIFICATE_REQUIRED"),
        socket.create_connection(("127.0.0.1", port)) as plain,
        context.wrap_socket(plain) as secured,
    ):
        secured.recv(1)


def test_nobody_there_is_told_apart_from_being_refused(office):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(door.AwayError):
        door.knock("127.0.0.1", port, office.security, "scheduler")


def test_a_certificate_vouches_for_no_other(office):
    certificate = x509.load_pem_x509_certificate((office.trusted / "mac-a.pem").read_bytes())
    constraints = certificate.extensions.get_extension_for_class(x509.BasicConstraints).value
    assert constraints.ca is False


def test_a_certificate_lasts_as_long_as_macos_takes_one_and_no_longer(office):
    """At most 398 days: support.apple.com/102028."""
    office.make_for_browser("secret")
    for path in (office.desk_file, office.browser_file, *office.trusted.iterdir()):
        made = x509.load_pem_x509_certificate(path.read_bytes())
        assert made.not_valid_after_utc - made.not_valid_before_utc == timedelta(days=398), path
        assert timedelta(0) < datetime.now(UTC) - made.not_valid_before_utc < timedelta(hours=2)


def test_keys_are_for_nobody_elses_eyes(office):
    for path in (office.desk_file, *office.passes.iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for folder in (office.folder, office.passes):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_making_again_keeps_the_passes_that_are_there(office):
    before = (office.passes / "mac-a.pass").read_text()
    assert office.make(DESK, [*HOSTS, Host("mac-c")]) == ["mac-c"]
    assert (office.passes / "mac-a.pass").read_text() == before


def test_a_pass_says_who_and_where(office):
    one = pass_of(office, "mac-a")
    assert (one.slug, one.desk, one.port, one.address) == ("mac-a", "127.0.0.1", 8786, "127.0.0.1")
    assert pass_of(office, "mac-b").address is None


@pytest.mark.parametrize("content", ["", "words", "host a\ndesk b 1\n-----BEGIN x\ntrusted\ny"])
def test_what_is_no_pass_is_refused_in_one_line(tmp_path, content):
    path = tmp_path / "host.pass"
    path.write_text(content)
    with pytest.raises(StudyError, match="is no pass of a fleet: copy it anew"):
        read_pass(path)


def test_a_pass_that_is_missing_says_how_one_is_made(tmp_path):
    with pytest.raises(StudyError, match="is missing: at the desk, call"):
        read_pass(tmp_path / "host.pass")


def test_a_fleet_without_certificates_says_how_they_are_made(tmp_path):
    with pytest.raises(StudyError, match="has no certificates yet: call"):
        _ = Office(tmp_path / "fleet").security


def test_a_file_for_a_browser_needs_a_password_and_nothing_else_before_it(tmp_path):
    office = Office(tmp_path / "fleet")
    with pytest.raises(StudyError, match="needs a password"):
        office.make_for_browser("")
    path = office.make_for_browser("secret")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
