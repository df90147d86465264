"""The differences of two reports, by answer.

Headers of images are not compared: statements say which fields they have.
"""

import plistlib
import re
from collections.abc import Iterator
from typing import Any

from probe.report import Found

# listed differences of one answer; the rest is counted
MOST_TOLD = 5


def differences(first: Found, second: Found) -> dict[str, list[str]]:
    """By the name of each answer: what the first says that the second does not.

    Equal ones, and those deliberately left out of one report, are not included.
    """
    found: dict[str, list[str]] = {}
    ours = {one["name"]: one for one in first.document["answers"]}
    theirs = {one["name"]: one for one in second.document["answers"]}
    for name in ours.keys() & theirs.keys():
        found[name] = list(_of_answers(ours[name], theirs[name], first, second))
    return {name: sorted(told) for name, told in sorted(found.items()) if told}


def alone(first: Found, second: Found) -> list[str]:
    """The answers that the first has and the second has not."""
    theirs = {one["name"] for one in second.document["answers"]}
    return sorted({one["name"] for one in first.document["answers"]} - theirs)


def verdicts(first: Found, second: Found) -> list[str]:
    """The statements on which two reports have different verdicts."""
    ours = {one["id"]: one["verdict"] for one in first.document["statements"]}
    theirs = {one["id"]: one["verdict"] for one in second.document["statements"]}
    return [
        f"{name}: {ours[name]}, {theirs[name]}"
        for name in sorted(ours.keys() & theirs.keys())
        if ours[name] != theirs[name]
    ]


def _of_answers(
    one: dict[str, Any], other: dict[str, Any], first: Found, second: Found
) -> Iterator[str]:
    for what in ("code", "ended"):
        if one[what] != other[what]:
            yield f"{what} {one[what]}, {other[what]}"
    for stream in ("stdout", "stderr"):
        # a stream left out of one side cannot be compared
        if one[stream]["left_out"] or other[stream]["left_out"]:
            continue
        texts = [
            side.captures.get(answer[stream]["file"] or "", b"")
            for side, answer in ((first, one), (second, other))
        ]
        told = list(_of_texts(*texts))
        yield from (f"{stream}: {line}" for line in told[:MOST_TOLD])
        if len(told) > MOST_TOLD:
            yield f"{stream}: and {len(told) - MOST_TOLD} more"


def _of_texts(one: bytes, other: bytes) -> Iterator[str]:
    ours, theirs = _values(one), _values(other)
    if ours is None or theirs is None:
        ours, theirs = (set(_lines(text)) for text in (one, other))
    for line in sorted(ours - theirs):
        yield f"only the first: {line}"
    for line in sorted(theirs - ours):
        yield f"only the second: {line}"


def _values(text: bytes) -> set[str] | None:
    """The values of a property list by path; None for other texts, and one nested too deeply.

    Programs print XML: in a few bytes of a binary list, each list may hold the next one twice.
    """
    try:
        return set(_paths(plistlib.loads(text, fmt=plistlib.FMT_XML)))
    except Exception:  # as `inventory.read`
        return None


def _paths(value: Any, at: str = "") -> Iterator[str]:
    """Every value of a property list by path; numbers by type only, as they differ between Macs."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _paths(inner, f"{at}/{_plain(key)}")
    elif isinstance(value, list):
        for inner in value:
            yield from _paths(inner, f"{at}[]")
    elif isinstance(value, str | bool):
        yield f"{at} = {_plain(str(value))}"
    else:
        name = "data" if isinstance(value, bytes | plistlib.UID) else type(value).__name__
        yield f"{at}: {name}"


def _lines(text: bytes) -> Iterator[str]:
    for line in text.decode("utf-8", "replace").splitlines():
        if plain := _plain(line):
            yield plain


def _plain(line: str) -> str:
    return re.sub(r"\d+", "#", re.sub(r"\s+", " ", line)).strip()[:200]
