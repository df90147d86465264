"""The bands of sparse bundles: how many there are, and how full."""

import pandas as pd

from lib import show, tables, words
from lib.database import query
from lib.space import measured

BAND = 8 << 20  # default size of a sparse bundle's bands, in bytes


def shown(rows: pd.DataFrame) -> show.Shown:
    """Bands by count and bytes: in the article, and on the machine measured last."""
    stated = query(
        """
        select
            article.title, host, macos, format, state, bands.value as bands,
            bands.as_printed as bands_as_printed, size.value_bytes, size.as_printed, size.unit
        from published_size as bands
        inner join published_size as size using (article, host, macos, format, state, encryption)
        inner join article using (article)
        where bands.quantity = 'bands' and size.quantity = 'on-disk'
        order by bands.article, bands.table_order
        """
    )
    lines = [
        {
            "where": f"Published: {row['title']} ({words.mac(row['host'], row['macos'])})",
            "image": words.form(row["format"]),
            "state": words.state(row["state"]),
            "bands": row["bands_as_printed"],
            "size": words.printed(row),
            "each": words.size(row["value_bytes"] / row["bands"]),
        }
        for row in stated.to_dict("records")
    ]
    bundles = rows[(rows["driver"] == "apple") & (rows["format"] == "UDSB") & (rows["bands"] > 0)]
    bundles = bundles[measured.newest_machine(bundles)] if len(bundles) else bundles
    lines += [
        {
            "where": f"Measured: {row['served']}",
            "image": tables.with_small(row["what"], row["scale"]),
            "state": words.state(row["state"]),
            "bands": f"{int(row['bands']):,}",
            "size": words.size(row["allocated_bytes"]),
            "each": tables.with_small(
                words.size(row["allocated_bytes"] / row["bands"]),
                f"of {words.size(BAND if words.missing(row['band_bytes']) else row['band_bytes'])}",
            ),
        }
        for row in bundles.to_dict("records")
    ]
    return tables.table(
        lines,
        [
            tables.sentence("Image", "image"),
            tables.text("State", "state"),
            tables.number("Bands", "bands"),
            tables.number("On disk", "size"),
            tables.number("On disk for each band", "each"),
        ],
        "Bands of sparse bundles: how many there are, and how full",
        heading="where",
        name="bands",
        source="""
            select
                'published' as basis, article as source, format, state, bands.value as bands,
                size.value_bytes as bytes, size.value_bytes / bands.value as bytes_each
            from published_size as bands
            inner join published_size as size
                using (article, host, macos, format, state, encryption)
            where bands.quantity = 'bands' and size.quantity = 'on-disk'
            union all
            select
                'measured', cell, format, state, bands, allocated_bytes, allocated_bytes / bands
            from comparable_size
            where format = 'UDSB' and bands > 0
            order by all
        """,
    )
