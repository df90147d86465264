"""The list of an article as aims of a conversion: what makes each format of another."""

from lib import show, tables, words
from lib.formats import facts, listed

# `hdiutil convert` makes all of the list but these
ELSEWHERE = {"ASIF": "`diskutil image create from --format ASIF` (macOS 26)"}


def shown(article: str) -> show.Shown:
    """The formats that the article lists, as aims of a conversion."""
    return tables.table(
        listed.rows(article),
        [
            tables.text("Format", "format"),
            tables.sentence("The article says", "description", words.quoted),
            tables.text(
                "macOS",
                lambda row: tables.code(
                    ELSEWHERE.get(row["format"], f"`hdiutil convert -format {row['format']}`")
                ),
            ),
            facts.column("Can be written to", "written"),
            tables.text("diskbench", "format", _ours),
        ],
        "The formats that the article lists, in its order, as targets of a conversion",
        name="conversions",
        classes="wide",
    )


def _ours(code: str) -> str:
    return tables.code(f"`image convert --to {code}`") if code in facts.MEASURED else "no"
