"""What a person is told while pages are rendered."""

import time
from collections.abc import Callable

from console import say


class Progress:
    """Names pages as they are rendered, on a terminal and elsewhere."""

    def __init__(self, seconds: float = 0, clock: Callable[[], float] = time.monotonic):
        """At most one line in so many seconds, the first of them after as many."""
        self.seconds, self.clock = seconds, clock
        self.last = clock()

    def page(self, number: int, count: int, name: str) -> None:
        now = self.clock()
        if now - self.last >= self.seconds:
            self.last = now
            say(f"page {number} of {count}: {name}")


def pass_on(said: str) -> None:
    """Tell the person at the terminal what the project's own scripts want to be told."""
    for line in said.splitlines():
        if line.startswith("diskbench: "):
            say(line.removeprefix("diskbench: "))
