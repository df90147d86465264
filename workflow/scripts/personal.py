"""What in a record's texts may tell whose machine it was: none of it belongs into public data."""

import functools
import re
from collections.abc import Iterator
from typing import Any

# each in a time that grows as the text does: a stranger may send a text of any length
PATTERNS = {
    # a Mac does not tell `/users` from `/Users`
    "a home folder": re.compile(
        r"(?i)(?:/Users|/home|/media|(?<!/System)/Volumes|/private/var|[A-Z]:\\Users)[/\\]\S+"
    ),
    "a mail address": re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "a hardware address": re.compile(r"(?<![\w:])(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}(?![\w:])"),
    "an IP address": re.compile(
        r"(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w.])"
        # IPv6: eight groups, or fewer around `::`; a time of day has three
        r"|(?<![\w:])(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}(?![\w:])"
        r"|(?<![\w:])(?:[0-9A-Fa-f]{1,4}:){1,6}(?::[0-9A-Fa-f]{1,4}){1,6}(?![\w:])"
    ),
    "the id of a device": re.compile(r"\b[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\b"),
    # Apple's serial numbers have 10 to 12 capitals and digits (https://support.apple.com/102858)
    "a serial number": re.compile(
        r"\b(?=(?:[A-Z]*\d){2})(?=(?:\d*[A-Z]){2})[A-Z0-9]{10,12}\b"
        r"|(?i:\bserial\b[\s\w]{0,40}[:=#]\s*\w+)"
    ),
    "a person's name": re.compile(r"\b\w+['\u2019]s (?:i?Mac|MacBook|Mac mini|Mac Studio)\b"),
}
# keys that are not searched: a checksum of the content; hundreds of figures, whose only texts are
# listed in the schema (workflow/schemas/record.schema.json); and what a disk calls its model, which
# may have the form of a serial number (CT1000P3SSD8, WDS100T3X0C-00SJG0)
PASSED_OVER = {"sha256", "samples", "device_model"}


def found(record: Any) -> Iterator[tuple[str, str]]:
    """Kind and text of each personal-looking text of the record."""
    for text in texts(record):
        if (one := _in_text(text)) is not None:
            yield one


@functools.lru_cache(maxsize=10_000)
def _in_text(text: str) -> tuple[str, str] | None:
    # cached: most texts of a record occur some hundred times
    for what, pattern in PATTERNS.items():
        if match := pattern.search(text):
            return what, match[0]
    return None


def texts(value: Any) -> Iterator[str]:
    """Every text of a record, without keys, which the schema defines."""
    if isinstance(value, str):
        yield value
        return
    below = [value]
    while below:
        one = below.pop()
        inside = (
            one
            if isinstance(one, list)
            else [of for key, of in one.items() if key not in PASSED_OVER]
            if isinstance(one, dict)
            else ()
        )
        # most values of a record are numbers: skip them early
        for part in inside:
            if isinstance(part, str):
                yield part
            elif isinstance(part, dict | list):
                below.append(part)
