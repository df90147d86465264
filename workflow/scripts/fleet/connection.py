"""Connecting before Dask does: who is behind an address, and whether we are let in, in one line."""

import socket
import ssl

from distributed.security import Security

SECONDS = 5.0
# How long a refusal is listened for: it follows the handshake by one way through the network.
REFUSAL_SECONDS = 0.2


class AwayError(Exception):
    """Nobody answers."""


class RefusedError(Exception):
    """Somebody does, and one of the two certificates is not known to the other side."""


def attempt(address: str, port: int, security: Security, role: str) -> str:
    """Our own address as seen from who answers, whose certificate is one that `security` trusts.

    Raises AwayError, or RefusedError with what is wrong.
    """
    context = security.get_connection_args(role)["ssl_context"]
    try:
        with (
            socket.create_connection((address, port), timeout=SECONDS) as plain,
            context.wrap_socket(plain) as secured,
        ):
            own = secured.getsockname()[0]
            if role == "worker":  # a coordinator is no stranger to a host that came to it
                _hear_refusal(secured)
            return own
    except ssl.SSLCertVerificationError as error:
        raise RefusedError(f"its certificate is not known here ({error.verify_message})") from error
    except ssl.SSLError as error:
        raise RefusedError(f"our certificate is not known there ({_reason(error)})") from error
    except OSError as error:
        raise AwayError(str(error)) from error


def _hear_refusal(secured: ssl.SSLSocket) -> None:
    """With TLS 1.3 a certificate is refused after the handshake: whoever is let in hears nothing
    until they speak."""
    secured.settimeout(REFUSAL_SECONDS)
    try:
        if secured.recv(1) == b"":
            raise AwayError("closed at once")
    except TimeoutError:
        pass


def _reason(error: ssl.SSLError) -> str:
    return (error.reason or "TLS").lower().replace("_", " ")
