"""Progress messages of rendering."""

from console import say


def say_page(number: int, count: int, name: str) -> None:
    """Print the name of a rendered page."""
    say(f"page {number} of {count}: {name}")


def pass_on(said: str) -> None:
    """Print messages of the project's own scripts."""
    for line in said.splitlines():
        if line.startswith("diskbench: "):
            say(line.removeprefix("diskbench: "))
