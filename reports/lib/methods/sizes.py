"""The sizes of files: the scales, and what the articles state of them."""

import pandas as pd

from lib import show, study, tables, words
from lib.database import query


def scale_table() -> show.Shown:
    """The scales, with what they write in each pass."""
    lines = []
    for name, scale in study.scales().SCALES.items():
        sizes = study.scales().sizes_bytes(scale)
        lines.append(
            {
                "scale": name,
                "sets": scale.sets,
                "files": scale.sets * len(sizes),
                "smallest": words.size(min(sizes)),
                "largest": words.size(max(sizes)),
                "bytes": words.size(scale.sets * sum(sizes), figures=4),
                "phases": "all" if scale.later_phases else "the first",
                "use": "only tests the software; never compared"
                if scale.size_divisor > 1
                else "compared",
            }
        )
    return tables.table(
        lines,
        {
            "scale": "Scale",
            "sets": "Sets",
            "files": "Files",
            "smallest": "Smallest",
            "largest": "Largest",
            "bytes": "Each pass",
            "phases": "Phases",
            "use": "Use",
        },
        "The scales: 16 sizes in each set. No protocol runs at a larger scale than its article",
        numbers=["sets", "files", "smallest", "largest", "bytes"],
        name="scales",
        classes="wide",
    )


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
    """What the articles state of the files, and what the 16 sizes give for it."""
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
                    "quote": f"“{row['quote']}”",
                    "article": row["article"],
                    "stated": f"{kind}{row['as_printed']} {row['unit']}",
                    "value": value,
                    "given": f"{words.significant(value, 4)} {row['unit']}",
                    "note": remark,
                }
            )
    return pd.DataFrame(found)


def size_table() -> show.Shown:
    """The same as a table."""
    stated = ", ".join(
        f"('{article}', '{what}', '{said}')" for article, what, said, *_ in _checks()
    )
    return tables.table(
        size_checks(),
        {
            "quote": "The article\u2019s words",
            "article": "Article",
            "stated": "States",
            "given": "These sizes",
            "note": "Remark",
        },
        "What the articles state about their files, and what the 16 sizes give",
        numbers=["stated", "given"],
        name="sizes",
        classes="wide",
        source=f"""
            select * from published_size
            where (article, quantity, as_printed) in ({stated})
                and (quantity <> 'on-disk' or format = 'UDRW')
        """,
    )
