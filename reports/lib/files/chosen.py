"""The choice of cells with files on the page."""

import pandas as pd

from lib import order, runs, words
from lib.database import query

# most informative first: an unencrypted cell, the encrypted one that lost most, ...
WANTED = [
    ("UDSB", "none"),
    ("UDRW", "AES-256"),
    ("ASIF", "none"),
    ("UDSB", "AES-256"),
    ("UDRW", "none"),
    ("ASIF", "AES-256"),
]
MOST = len(WANTED)  # cells with files on the page; a link leads to the others


def cells() -> pd.DataFrame:
    """The drawn cells: of each host's newest release, new images at its largest scale."""
    rows = runs.cells()
    rows = rows[(rows["status"] == "measured") & (rows["phase"] == "fresh")]
    rows = rows[rows["cell"].isin(query("select distinct cell from file_summary")["cell"])]
    if rows.empty:
        return rows
    hosts = rows["host"].nunique()
    quota = max(1, MOST // hosts)
    return pd.concat(
        [_of_host(part, quota) for _, part in list(rows.groupby("host", sort=False))[:MOST]]
    )


def _of_host(rows: pd.DataFrame, quota: int) -> pd.DataFrame:
    rows = rows[rows["release"] == rows["release"].iloc[0]]  # last measured first
    rows = rows[rows["repeat"] == rows["repeat"].min()]
    scale = next(scale for scale in order.SCALES if scale in set(rows["scale"]))
    rows = rows[rows["scale"] == scale]

    def rank(row: dict) -> tuple:
        kind = (row["format"], row["encryption"])
        return (
            row["protocol"] != "usage-phases",
            not words.missing(row["band_bytes"]),
            row["storage"] != "internal",
            WANTED.index(kind) if kind in WANTED else len(WANTED),
        )

    best = sorted(range(len(rows)), key=lambda at: (rank(rows.iloc[at].to_dict()), at))
    return rows.iloc[best[:quota]]
