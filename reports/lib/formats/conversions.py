"""The list of an article as aims of a conversion: what makes each format of another."""

from lib import show, tables
from lib.formats import facts, listed

# `hdiutil convert` makes all of the list but these
ELSEWHERE = {"ASIF": "`diskutil image create from --format ASIF` (macOS 26)"}


def shown(article: str) -> show.Shown:
    """The formats that the article lists, as aims of a conversion."""
    found = listed.rows(article)
    lines = [
        {
            "format": row["format"],
            "what": f"\u201c{row['description']}\u201d",
            "tool": tables.code(
                ELSEWHERE.get(row["format"], f"`hdiutil convert -format {row['format']}`")
            ),
            "written": facts.of(row["format"]).written,
            "ours": tables.code(f"`image convert --to {row['format']}`")
            if row["format"] in facts.MEASURED
            else "no",
        }
        for row in found.to_dict("records")
    ]
    return tables.table(
        lines,
        {
            "format": "Format",
            "what": "The article says",
            "tool": "macOS",
            "written": "Can be written to",
            "ours": "diskbench",
        },
        "The formats that the article lists, in its order, as targets of a conversion",
        name="conversions",
        classes="wide",
        source=found,
    )
