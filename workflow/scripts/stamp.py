"""A word for the database as it was built, to notice one that was cut, or that came from elsewhere.

Its size, its beginning and its end: a database of many gigabytes is not read for it. The beginning
has the heads of the database, one of which every change renews
(https://duckdb.org/docs/internals/storage). The file's time is no part of it: Snakemake changes
that.
"""

import hashlib
from pathlib import Path

PART_BYTES = 65536


def of(database: Path) -> str:
    """The word; empty when there is no database."""
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
