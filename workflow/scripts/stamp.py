"""A hash of the built database, to detect a truncated or replaced one.

It covers size, beginning and end, so that a database of many gigabytes need not be read. The
beginning has the headers, one of which changes with every write
(https://duckdb.org/docs/internals/storage). The file's time is left out, as Snakemake changes it.
"""

import hashlib
from pathlib import Path

PART_BYTES = 65536


def of(database: Path) -> str:
    """The hash; empty without a database."""
    try:
        with database.open("rb") as file:
            size_bytes = file.seek(0, 2)
            words = hashlib.sha256(str(size_bytes).encode())
            for place in (0, max(0, size_bytes - PART_BYTES)):
                file.seek(place)
                words.update(file.read(PART_BYTES))
    except OSError:
        return ""
    return words.hexdigest()
