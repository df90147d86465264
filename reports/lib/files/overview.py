"""New images in a table: the span of their files' rates, outliers, order; other cells in SQL."""

import pandas as pd

from lib import links, runs, show, tables, words
from lib.files.measured import EVERY_FILE, VERBS

RULE = (
    "An **outlier** is a file whose rate is unusual for its size: its logarithm differs from the "
    "median of the files of that size in the same pass by more than 3.5 robust standard "
    "deviations. That deviation is 1.4826 times the median absolute deviation, of that size or of "
    "the whole pass, whichever is larger. With fewer "
    "than five files of a size none is named. Outliers stay in every statistic. **Order** is the "
    "rank correlation "
    "(Spearman) of a file\u2019s place in the pass with its rate, as a share of the median of its "
    "size: below 0, later "
    "files are slower. It is marked where chance alone would give it less than once in a thousand "
    "passes."
)


def shown(rows: pd.DataFrame) -> show.Shown:
    """New images under the release measured last, folded by host; every cell is in the rows."""
    if rows.empty:
        return show.text("Not measured yet.")
    return show.together(
        *(
            _of_host(number, part)
            for number, (_, part) in enumerate(rows.groupby("host", sort=False), start=1)
        )
    )


def _of_host(number: int, rows: pd.DataFrame) -> show.Shown:
    host, every = rows["host"].iloc[0], rows["cell"].nunique()
    new = (rows["release"] == rows["release"].iloc[0]) & (rows["phase"] == "fresh")
    rows = rows[new] if new.any() else rows
    lines = []
    for _, group in rows.groupby("cell", sort=False):
        one = {row["op"]: row for row in group.to_dict("records")}
        row = next(iter(one.values()))
        address = links.rows(EVERY_FILE.format(row["cell"]))
        lines.append(
            {
                "served": row["served"],
                "what": tables.with_small(tables.link(row["what"], address), row["scale"]),
                **{f"{op} {key}": told for op in VERBS for key, told in _told(one.get(op)).items()},
            }
        )
    columns = {
        "what": "Cell, and its files in SQL",
        "write rate": "Write, GB/s: median",
        "write outliers": "outliers",
        "write order": "order",
        "read rate": "Read, GB/s: median",
        "read outliers": "outliers",
        "read order": "order",
    }
    shown = tables.table(
        lines,
        columns,
        "The files of new images under the release measured last: median rate with the middle "
        "90 %, outliers, order; slope and bytes / time of all files where they differ. "
        f"The rows behind the table cover all {words.count(every, 'cell')}",
        numbers=[key for key in columns if key != "what"],
        heading="served",
        name=f"files-{host}",
        classes="wide",
        source=f"""
            select file_summary.*
            from file_summary
            inner join cell using (cell)
            where host = '{host}'
            order by cell, op desc
        """,
    )
    count = f"{rows['cell'].nunique()} of {words.count(every, 'cell')}"
    return show.folded(f"{words.host(host)}: {count}", shown)


def _differ(row: dict) -> str:
    """The slope too, which this page has nowhere else."""
    told = runs.differ(row)
    return told and f"slope {words.gbps(row['theil_sen_gbps'])}, {told}"


def _told(row: dict | None) -> dict[str, object]:
    if row is None:
        return {"rate": tables.absent(), "outliers": "", "order": ""}
    correlation = row["order_correlation"]
    counts = not words.missing(row["order_counts"]) and bool(row["order_counts"])
    return {
        "rate": tables.with_small(
            words.gbps(row["median_gbps"]),
            "; ".join(
                filter(
                    None,
                    [words.interval(row["p5_gbps"], row["p95_gbps"]), _differ(row)],
                )
            ),
        ),
        "outliers": row["outliers"],
        "order": ""
        if words.missing(correlation)
        else tables.with_small(f"{correlation:+.2f}", "counts" if counts else ""),
    }
