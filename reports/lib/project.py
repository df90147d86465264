"""Files of the project that pages quote, besides the database: found from where this file is."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REPORTS = ROOT / "reports"


def text(name: str) -> str:
    """The text of a file, named from the root of the project: `CHANGELOG.md`."""
    return (ROOT / name).read_text(encoding="utf-8")
