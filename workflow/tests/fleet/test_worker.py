"""What a host's terminal says when the desk does not take its worker."""

from fleet.certificates import Pass
from fleet.worker import not_let_in

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
