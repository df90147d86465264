"""How the measuring of each format went, on each machine and release."""

import pandas as pd

from lib import show, tables, words
from lib.database import query


def of_cells() -> pd.DataFrame:
    """How the cells of each format went: one row for each host, release, driver and encryption.

    What a stand-in did is no state of a format.
    """
    return query(
        """
        select
            cell.format, cell.host, cell.release, cell.driver, cell.encryption,
            count(*) filter (where status = 'measured') as measured,
            count(*) filter (where status = 'skipped') as skipped,
            count(*) filter (where status = 'failed') as failed,
            string_agg(distinct cell.reason, '; ' order by cell.reason) as reason
        from cell
        where cell.format not in ('native', 'VM') and not cell.stand_in
        group by cell.format, cell.host, cell.release, cell.driver, cell.encryption
        order by cell.format, cell.host, cell.release, cell.driver, cell.encryption
        """
    )


def shown() -> show.Shown:
    """Every format on every host and release, with the reasons of what was not measured."""
    found = of_cells()
    if found.empty:
        return show.text(
            "**Nothing has been measured yet**, so there is no state to tell. "
            "`bash workflow/run.sh` measures every format that this machine can make."
        )
    keys = ["format", "host", "release", "driver"]
    lines = []
    for (code, host, release, driver), part in found.groupby(keys, sort=False):
        done = part[part["measured"] > 0]
        missing = part[part["skipped"] + part["failed"] > 0]
        lines.append(
            {
                "format": words.name(words.FORMATS, code),
                "machine": words.machine(host, release),
                "driver": driver,
                "measured": int(part["measured"].sum()) or "",
                "encryptions": ", ".join(
                    words.name(words.ENCRYPTIONS, one) for one in done["encryption"]
                ),
                "missing": _missing(missing),
            }
        )
    table = tables.table(
        lines,
        {
            "machine": "On",
            "driver": "Driver",
            "measured": "Cells measured",
            "encryptions": "Encryption",
            "missing": "Not measured, and why",
        },
        "Each format on each machine and release",
        numbers=["measured"],
        name="states",
        classes="wide",
        heading="format",
        source=found,
    )
    if len(lines) <= 12:
        return table
    return show.folded(f"Each format on each machine and release: {len(lines)} lines", table)


def _missing(rows: pd.DataFrame) -> tables.Markup:
    if rows.empty:
        return tables.markup("")
    counts = [
        f"{int(rows[kind].sum())} {kind}" for kind in ("skipped", "failed") if rows[kind].sum()
    ]
    reasons = "; ".join(sorted(set(rows["reason"].dropna())))
    return tables.with_small(", ".join(counts), reasons)
