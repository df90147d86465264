"""The words for an image in a state, and for a figure as it is printed."""

from lib import words


def image_in(form: str, state: str) -> str:
    """An image by its format, and the state of its use."""
    return f"{words.short(form)}, {words.state(state)}"


def printed(row: dict) -> str:
    """A figure with just the digits that the article prints, and its unit."""
    return f"{row['as_printed']} {row['unit']}"
