"""The sizes of files: scales, and the articles' statements about sizes."""

from typing import Any

import pandas as pd

from lib import show, study, tables, words
from lib.database import query


def scale_table() -> show.Shown:
    """The scales, with what they write in each pass."""
    of = study.scales().sizes_bytes
    return tables.table(
        study.scales().SCALES.items(),
        [
            tables.text("Scale", 0),
            tables.number("Sets", 1, lambda scale: scale.sets),
            tables.number("Files", 1, lambda scale: scale.sets * len(of(scale))),
            tables.number("Smallest", 1, lambda scale: words.size(min(of(scale)))),
            tables.number("Largest", 1, lambda scale: words.size(max(of(scale)))),
            tables.number(
                "Each pass", 1, lambda scale: words.size(scale.sets * sum(of(scale)), figures=4)
            ),
            tables.text("Phases", 1, lambda scale: "all" if scale.later_phases else "the first"),
            tables.text("Use", 1, _use),
        ],
        "The scales: 16 sizes in each set. No protocol runs at a larger scale than its article",
        name="scales",
        classes="wide",
    )


def _use(scale: Any) -> str:
    return "only tests the software; never compared" if scale.size_divisor > 1 else "compared"


# What the list of sizes gives for a statement of the articles: article, quantity, as printed (as
# they are in published_size); the value in the unit printed; a remark where the two do not agree.
def _checks() -> list[tuple[str, str, str, float, str]]:
    sizes = study.sizes_mb()
    one, top = sum(sizes) / 1000, [size for size in sizes if size >= 600]
    small = sum(sizes) - sum(top)
    return [
        ("encryption-2026", "files", "160", 10 * len(sizes), ""),
        ("encryption-2026", "smallest-file", "2", min(sizes), ""),
        ("encryption-2026", "largest-file", "2", max(sizes) / 1000, ""),
        ("encryption-2026", "files-total", "53", 10 * one, ""),
        ("vm-2026", "files-total", "26", 5 * one, "so the article truncated instead of rounding"),
        ("encryption-2026", "files-total", "10", 2 * one, "two sets that were kept"),
        ("bands-2024", "files-deleted", "40", 10 * len(top), ""),
        ("bands-2024", "smallest-deleted-file", "600", min(top), ""),
        ("bands-2024", "files-total", "250", 50 * one, ""),
        (
            "bands-2024",
            "on-disk",
            "91.63",
            (4 * 10 * small + 10 * sum(sizes)) / 1000,
            "the files alone; the rest is the file system\u2019s",
        ),
        (
            "encryption-2026",
            "files-total",
            "66",
            12 * one,
            "two sets kept and ten written: the only statement that does not fit",
        ),
    ]


def size_checks() -> pd.DataFrame:
    """The articles' statements about the files, each with the value of our 16 sizes."""
    rows = query(
        """
        select article, quantity, as_printed, unit, kind, format, quote
        from published_size
        order by article, table_order
        """
    )
    found = []
    for article, quantity, printed, value, remark in _checks():
        part = rows[
            (rows["article"] == article)
            & (rows["quantity"] == quantity)
            & (rows["as_printed"] == printed)
            & ((quantity != "on-disk") | (rows["format"] == "UDRW"))
        ]
        if len(part):
            row = part.iloc[0]
            kind = {"above": "over ", "about": "about "}.get(row["kind"], "")
            found.append(
                {
                    "quote": row["quote"],
                    "article": row["article"],
                    "stated": kind + words.printed(row),
                    "value": value,
                    "given": f"{words.significant(value, 4)} {row['unit']}",
                    "note": remark,
                }
            )
    checks = pd.DataFrame(found)
    checks.attrs = rows.attrs
    return checks


def size_table() -> show.Shown:
    """The same as a table."""
    return tables.table(
        size_checks(),
        [
            tables.text("The article\u2019s words", "quote", words.quoted),
            tables.text("Article", "article"),
            tables.number("States", "stated"),
            tables.number("These sizes", "given"),
            tables.sentence("Remark", "note"),
        ],
        "What the articles state about their files, and what the 16 sizes give",
        name="sizes",
        classes="wide",
    )
