"""The list of an article as a reference: what the tools can do with each format."""

from lib import show, tables, words
from lib.formats import facts, listed


def shown(article: str) -> show.Shown:
    """The article's list, row by row, with what the tools can do with each format."""
    found = listed.rows(article)
    lines = [
        {
            "supported": listed.supported(row),
            "format": _anchored(row["format"]),
            "what": tables.with_small(
                f"\u201c{row['description']}\u201d", words.told(row["note"], "")
            ),
            "since": listed.since(row),
            "made": tables.code(facts.of(row["format"]).made),
            "written": facts.of(row["format"]).written,
            "space": tables.code(facts.of(row["format"]).space),
            "encrypted": facts.of(row["format"]).encrypted,
        }
        for row in found.to_dict("records")
    ]
    return tables.table(
        lines,
        {
            "format": "Format",
            "what": "The article says",
            "since": "Since",
            "made": "Made with",
            "written": "Written to",
            "space": "Grows and shrinks",
            "encrypted": "Encrypted",
        },
        "The formats that the article lists, in its order, and what macOS can do with each",
        name="formats",
        classes="wide",
        heading="supported",
        source=found,
    )


def _anchored(code: str) -> tables.Markup:
    return tables.Markup(f'<span id="format-{code}">{tables.markup(code)}</span>')
