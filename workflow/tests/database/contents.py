"""What a build made."""

from collections import Counter
from pathlib import Path

import duckdb


def rows(database: Path) -> dict[str, Counter[str]]:
    """The rows of every table, in any order; views are made of these."""
    with duckdb.connect(str(database), read_only=True) as connection:
        names = connection.execute("select table_name from duckdb_tables()").fetchall()
        # as text, since lists of codes have no hash
        return {
            name: Counter(map(repr, connection.execute(f'from "{name}"').fetchall()))
            for (name,) in names
        }
