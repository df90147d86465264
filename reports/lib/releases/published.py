"""Changes from release to release according to the articles."""

import math

import pandas as pd

from lib import order, rules, show, tables, words
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

# in the caveats of figures of another encryption than the others of their image
NOT_ALIKE = "perhaps not comparable"


def pairs() -> pd.DataFrame:
    """The articles' figures under two consecutive releases, the newest first."""
    return query(PUBLISHED)


def summary(printed: pd.DataFrame, subject: str = "speeds of images") -> str:
    """What the printed figures of images say of each pair of releases, the newest first.

    `subject`: what `printed` has of the articles' figures.
    """
    printed = printed[printed["format"] != "native"]
    pairs, least = [], rules.notable()
    for (earlier, later), rows in printed.groupby(["earlier_macos", "later_macos"], sort=False):
        less, more = rows[rows["ratio"] < 1 - least], rows[rows["ratio"] > 1 + least]
        parts = [
            f"{len(part)} {word} ({_steps(part)})"
            for part, word in ((less, "fell"), (more, "rose"))
            if len(part)
        ]
        same = rows.drop(less.index).drop(more.index)["ratio"]
        if len(same):
            # rounded up, so that none differs by more
            largest = math.ceil(100 * (same - 1).abs().max()) / 100
            differ = "differs" if len(same) == 1 else "differ"
            parts.append(f"{len(same)} {differ} by at most {words.percent(largest)}")
        pairs.append(f"from macOS {earlier} to {later}, {words.listed(parts)}")
    return (
        f"Published {subject}: {'; '.join(pairs)}. A printed figure has no interval, so there is "
        "no test of the difference."
    )


def _steps(rows: pd.DataFrame) -> str:
    steps = words.listed([_step(row) for row in rows.to_dict("records")])
    doubted = rows["doubts"].fillna("").str.contains(NOT_ALIKE).any()
    return f"{steps}; perhaps not the same encryption" if doubted else steps


def _step(row: dict) -> str:
    name = words.short(row["format"])
    coded = "" if row["encryption"] == "none" else f" {row['encryption']}"
    return (
        f"{name}{coded} {row['op']} {row['earlier_as_printed']} to {row['later_as_printed']} "
        f"{row['later_unit_as_printed']}"
    )


def shown(printed: pd.DataFrame, name: str) -> show.Shown | None:
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
        name=name,
        classes="wide",
    )


def _as_printed(row: dict, side: str) -> tables.Markup:
    kind = words.bound(row[f"{side}_kind"], "")
    return tables.keep(f"{kind}{row[f'{side}_as_printed']} {row[f'{side}_unit_as_printed']}")
