"""Where things lie in the project's folder, in which every command works."""

from pathlib import Path

CORE = Path("core/target/release/diskbench")
SCHEMA = Path("workflow/schemas/record.schema.json")
SQL = Path("workflow/sql")
PUBLISHED = Path("data/published")
DATABASE = Path("data/diskbench.duckdb")
