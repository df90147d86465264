"""The list of an article beside diskbench: what it can do with each format."""

from lib import show, tables
from lib.formats import facts, listed


def shown(article: str) -> show.Shown:
    """The same rows: whether diskbench measures, makes and checks them."""
    return tables.table(
        listed.rows(article),
        [
            tables.text("Format", "format"),
            facts.column("On a Mac (driver apple)", "apple"),
            facts.column("On any system (driver portable, diskbench image)", "portable"),
        ],
        "What diskbench can do with each format",
        name="ours",
        classes="wide",
        heading=listed.supported,
    )
