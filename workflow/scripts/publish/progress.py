"""Progress messages of rendering."""

from time import monotonic

from console import say


class Progress:
    """Prints the names of pages as they are rendered."""

    def __init__(self, seconds: float = 0):
        """Print at most one line per interval (seconds), the first after one interval."""
        self.seconds = seconds
        self.last = monotonic()

    def page(self, number: int, count: int, name: str) -> None:
        now = monotonic()
        if now - self.last >= self.seconds:
            self.last = now
            say(f"page {number} of {count}: {name}")


def pass_on(said: str) -> None:
    """Print messages of the project's own scripts."""
    for line in said.splitlines():
        if line.startswith("diskbench: "):
            say(line.removeprefix("diskbench: "))
