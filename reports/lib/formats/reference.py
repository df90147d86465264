"""The list of an article as a reference: what the tools can do with each format."""

from lib import show, tables, words
from lib.formats import facts, listed


def shown(article: str) -> show.Shown:
    """The article's list, row by row, with what the tools can do with each format."""
    return tables.table(
        listed.rows(article),
        [
            tables.text("Format", "format", _anchored),
            tables.sentence(
                "The article says",
                lambda row: tables.with_small(
                    words.quoted(row["description"]), words.told(row["note"], "")
                ),
            ),
            tables.text("Since", listed.since),
            facts.column("Made with", "made"),
            facts.column("Written to", "written"),
            facts.column("Grows and shrinks", "space"),
            facts.column("Encrypted", "encrypted"),
        ],
        "The formats that the article lists, in its order, and what macOS can do with each",
        name="formats",
        classes="wide",
        heading=listed.supported,
    )


def _anchored(code: str) -> tables.Markup:
    return tables.Markup(f'<span id="format-{code}">{tables.markup(code)}</span>')
