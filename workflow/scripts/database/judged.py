"""What the core says of records: its rules decide, the same as those of `diskbench verify`.

Where there is no core of this form of records, `records.check` does what it can with the schema.
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
    """A record that is whole, and lies where that of another cell belongs."""

    kind = "misplaced"
    advice = "move it there, or delete this copy"


# What the core says of each of some files.
Verdicts = dict[str, dict]


def check(verdicts: Verdicts, name: str) -> None:
    """Raise DamageError unless the record may be loaded from this file."""
    verdict = verdicts.get(name)
    if verdict is None:
        raise DamageError("the core cannot judge it")
    if verdict["newer"] is not None:
        raise NewerError(newer_words(verdict["newer"]))
    if verdict["damage"] is not None:
        raise DamageError(verdict["damage"])
    refuse_misplaced(name, f"{verdict['cell']}.json")


def refuse_misplaced(name: str, expected: str) -> None:
    """Raise MisplacedError for a record that lies elsewhere than its cell says."""
    if name != expected:
        raise MisplacedError(f"it is in the wrong place: its cell belongs to {expected}")


def judged(core: Path | None, schema: Path, runs: Path, names: Sequence[str]) -> Verdicts | None:
    """What the core says of these files below `runs`; None where there is none to ask."""
    if core is None or not knows(core, schema):
        return None
    verdicts: Verdicts = {}
    # a line break would make two names of one; no record's name has one
    waiting = [name for name in names if "\n" not in name]
    while waiting:
        told = _ask(core, runs, waiting)
        verdicts |= zip(waiting, told, strict=False)
        # where the core was ended, by what it was looking at, the others are judged without that
        waiting = waiting[len(told) + 1 :]
    return verdicts


def _ask(core: Path, runs: Path, names: list[str]) -> list[dict]:
    """The verdicts in the order of the names, as far as they came."""
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
            break  # the core was ended in the middle of a line
    return told


@functools.cache
def knows(core: Path, schema: Path) -> bool:
    """Whether there is a core, built from this form of records."""
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
    """One word for who judges: another core may refuse other records."""
    if core is None or not knows(core, schema):
        return "schema"
    return hashlib.sha256(core.read_bytes()).hexdigest()[:16]
