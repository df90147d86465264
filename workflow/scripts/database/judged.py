"""Checks records with the core, by the rules of `diskbench verify`.

Without a core for this version of the record, `records.check` uses the schema.
"""

import functools
import hashlib
import json
import logging
import subprocess
from collections.abc import Sequence
from pathlib import Path

from console import say
from record import DamageError, NewerError, newer_words

LOG = logging.getLogger(__name__)


class MisplacedError(DamageError):
    """An intact record at the path of another cell."""

    kind = "misplaced"
    advice = "move it there, or delete this copy"


# the core's verdict on each file
Verdicts = dict[str, dict]


def check(verdicts: Verdicts, name: str) -> None:
    """Raise DamageError unless the record in this file may be loaded."""
    verdict = verdicts.get(name)
    if verdict is None:
        raise DamageError("the core cannot judge it")
    if verdict["newer"] is not None:
        raise NewerError(newer_words(verdict["newer"]))
    if verdict["damage"] is not None:
        raise DamageError(verdict["damage"])
    refuse_misplaced(name, f"{verdict['cell']}.json")


def refuse_misplaced(name: str, expected: str) -> None:
    """Raise MisplacedError if the path of a record does not match its cell."""
    if name != expected:
        raise MisplacedError(f"it is in the wrong place: its cell belongs to {expected}")


def judged(core: Path | None, schema: Path, runs: Path, names: Sequence[str]) -> Verdicts | None:
    """The core's verdicts on these files below `runs`; None without a core."""
    if core is None or not knows(core, schema):
        return None
    verdicts: Verdicts = {}
    # names are passed one per line, and no record's name contains a line break
    waiting = [name for name in names if "\n" not in name]
    while waiting:
        told = _ask(core, runs, waiting)
        verdicts |= zip(waiting, told, strict=False)
        # if a file crashes the core, the others are checked without it
        waiting = waiting[len(told) + 1 :]
    return verdicts


def _ask(core: Path, runs: Path, names: list[str]) -> list[dict]:
    """The verdicts in the order of the names, possibly incomplete."""
    asked = subprocess.run(
        [core, "verify", "--json", "-"],
        input="".join(f"{runs / name}\n" for name in names).encode("utf-8", "surrogateescape"),
        capture_output=True,
        check=False,
    )
    told = []
    for line in asked.stdout.splitlines():
        try:
            told.append(json.loads(line))
        except ValueError:
            break  # the core ended in the middle of a line
    return told


@functools.cache
def knows(core: Path, schema: Path) -> bool:
    """Whether there is a core, built for this version of the record."""
    try:
        own = subprocess.run([core, "schema", "record"], capture_output=True, check=True).stdout
        if json.loads(own) == json.loads(schema.read_bytes()):
            return True
        why = "it is of another version"
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        LOG.info("%s", error)
        why = "it is not built"
    say(
        f"records are checked without the core, less strictly ({why}): "
        "build it with `cargo build --release --manifest-path core/Cargo.toml`"
    )
    return False


def word(core: Path | None, schema: Path) -> str:
    """An id of the checking core: another core may refuse other records."""
    if core is None or not knows(core, schema):
        return "schema"
    return hashlib.sha256(core.read_bytes()).hexdigest()[:16]
