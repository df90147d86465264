"""Changes from release to release according to the articles."""

import pandas as pd

from lib import order, show, tables, words
from lib.database import query

PUBLISHED = f"""
select *
from release_published
qualify dense_rank() over (
    partition by host, storage, format, encryption, phase, op, later_article, later_table_order
    order by release_order(earlier_macos) desc
) = 1
order by
    release_order(later_macos) desc, release_order(earlier_macos) desc, host, storage,
    {order.by("format", "encryption")}, op desc
"""


def pairs() -> pd.DataFrame:
    """The articles' figures under two consecutive releases, the newest first."""
    return query(PUBLISHED)


def shown(printed: pd.DataFrame) -> show.Shown:
    """What the articles themselves say changed: two printed figures, their ratio, the caveats."""
    return tables.table(
        printed,
        [
            tables.sentence(
                "Image",
                lambda row: tables.with_small(
                    words.image(row["format"], row["encryption"], "apple"),
                    f"{words.host(row['host'])}, {words.storage(row['storage'])}",
                ),
            ),
            tables.text("Direction", "op"),
            tables.number("Before", lambda row: _as_printed(row, "earlier")),
            tables.number("After", lambda row: _as_printed(row, "later")),
            tables.number("After / before", "ratio", words.ratio),
            tables.sentence("Caveats", "doubts", lambda doubts: tables.with_small("", doubts)),
        ],
        "Two figures that the articles print for the same Mac, storage and image",
        heading=lambda row: f"From macOS {row['earlier_macos']} to {row['later_macos']}",
        name="published-changes",
        classes="wide",
    )


def _as_printed(row: dict, side: str) -> tables.Markup:
    kind = words.bound(row[f"{side}_kind"], "")
    return tables.keep(f"{kind}{row[f'{side}_as_printed']} {row[f'{side}_unit_as_printed']}")
