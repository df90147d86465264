"""The list of an article beside diskbench: what it can do with each format."""

from lib import show, tables
from lib.formats import facts, listed


def shown(article: str) -> show.Shown:
    """The same rows: whether diskbench measures, makes and checks them."""
    found = listed.rows(article)
    return tables.table(
        [
            {
                "supported": listed.supported(row),
                "format": row["format"],
                "apple": tables.code(facts.of(row["format"]).apple),
                "portable": tables.code(facts.of(row["format"]).portable),
            }
            for row in found.to_dict("records")
        ],
        {
            "format": "Format",
            "apple": "On a Mac (driver apple)",
            "portable": "On any system (driver portable, diskbench image)",
        },
        "What diskbench can do with each format",
        name="ours",
        classes="wide",
        heading="supported",
        source=found,
    )
