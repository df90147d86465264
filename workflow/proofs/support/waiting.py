"""Waiting for something to come true."""

import time
from collections.abc import Callable

# Nothing that is waited for takes this long, on the busiest machine.
PATIENCE_SECONDS = 600


def wait_until(true: Callable[[], object], what: str, seconds: float = PATIENCE_SECONDS) -> None:
    """Raise TimeoutError naming `what` when it does not come true."""
    last = time.monotonic() + seconds
    while not true():
        if time.monotonic() > last:
            raise TimeoutError(f"waited {seconds:g} s for {what}")
        time.sleep(0.05)
