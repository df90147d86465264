"""Which records are whole beyond doubt? The core says so ten times faster than Python.

The rules are those of `records.check`; the core only ever acquits. What it does not vouch for is
checked here, and refused in the same words with it and without it. It is asked only when it was
built from the very form of records that the schema has.
"""

import functools
import json
import logging
import subprocess
from pathlib import Path

LOG = logging.getLogger(__name__)


def vouched(core: Path | None, schema: Path, runs: Path, files: tuple[str, ...]) -> set[str]:
    """Those of the files (below `runs`) that may be loaded without another look."""
    if core is None or not files or not _knows(core, schema):
        return set()
    names = [name for name in files if "\n" not in name]
    asked = subprocess.run(
        [core, "verify", "--json", "-"],
        input="".join(f"{runs / name}\n" for name in names).encode("utf-8", "surrogateescape"),
        capture_output=True,
        check=False,
    )
    found = set()
    for line in asked.stdout.splitlines():
        try:
            verdict = json.loads(line)
        except ValueError:
            continue  # the core was ended in the middle of a line
        if verdict["damage"] is None and verdict["path"] == str(runs / f"{verdict['cell']}.json"):
            found.add(f"{verdict['cell']}.json")
    return found


@functools.cache
def _knows(core: Path, schema: Path) -> bool:
    """Whether the core was built from this form of records."""
    try:
        own = subprocess.run([core, "schema", "record"], capture_output=True, check=True).stdout
        return json.loads(own) == json.loads(schema.read_bytes())
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        LOG.info("records are checked without the core (%s)", error)
        return False
