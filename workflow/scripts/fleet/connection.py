"""Test connections before Dask connects, for errors of one line."""

import errno
import socket
import ssl

from distributed.security import Security

from study.machine import is_mac

SECONDS = 5.0
# how long to wait for a refusal, which arrives one network trip after the handshake
REFUSAL_SECONDS = 0.2

# since macOS 15 it answers "No route to host" to a program that may not use the local network; all
# that is started from Terminal or over ssh may (Apple's TN3179)
LOCAL_NETWORK = (
    "macOS may keep this program from the local network: allow your terminal in System Settings > "
    "Privacy & Security > Local Network, or start this from Terminal or over ssh"
)


class AwayError(Exception):
    """The other side does not answer; `advice` is what to do, where that is known."""

    def __init__(self, why: str, advice: str = ""):
        super().__init__(why)
        self.advice = advice


class RefusedError(Exception):
    """One of the two certificates is not trusted by the other side."""


def attempt(address: str, port: int, security: Security, role: str) -> str:
    """Connect with TLS; returns our own address on the connection.

    Raises AwayError, or RefusedError with the reason.
    """
    context = security.get_connection_args(role)["ssl_context"]
    try:
        with (
            socket.create_connection((address, port), timeout=SECONDS) as plain,
            context.wrap_socket(plain) as secured,
        ):
            own = secured.getsockname()[0]
            if role == "worker":  # a host that connected knows the coordinator
                _hear_refusal(secured)
            return own
    except ssl.SSLCertVerificationError as error:
        raise RefusedError(f"its certificate is not known here ({error.verify_message})") from error
    except ssl.SSLError as error:
        if "ALERT" not in (error.reason or ""):
            # it ended in the middle of the handshake, or another program answers
            raise AwayError(str(error)) from error
        raise RefusedError(f"our certificate is not known there ({error.reason})") from error
    except OSError as error:
        is_barred = error.errno == errno.EHOSTUNREACH and is_mac()
        raise AwayError(str(error), LOCAL_NETWORK if is_barred else "") from error


def _hear_refusal(secured: ssl.SSLSocket) -> None:
    """With TLS 1.3 the server refuses a certificate after the handshake; if it accepts, it sends
    nothing."""
    secured.settimeout(REFUSAL_SECONDS)
    try:
        if secured.recv(1) == b"":
            raise AwayError("closed at once")
    except TimeoutError:
        pass
