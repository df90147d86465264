"""A summary of all files in a few sentences."""

import math

import pandas as pd

from lib import runs, show, words


def shown(rows: pd.DataFrame) -> show.Shown:
    """Three sentences about all files."""
    if rows.empty:
        return show.text(
            "No file has been written or read here yet, so this page only shows what an article "
            "states. "
            f"`{runs.RUN}` measures this machine, file by file."
        )
    several = rows[rows["order_correlation"].notna()]
    counting = several[several["order_counts"].fillna(False).astype(bool)]
    first = rows["first_file_ratio"].dropna()
    # truncated, not rounded: the sentence says "at least"
    apart = math.floor(10 * (rows["p95_gbps"] / rows["p5_gbps"]).median()) / 10
    sentences = [
        f"**{int(rows['files'].sum()):,} writes and reads of files** in "
        f"{words.count(rows['cell'].nunique(), 'run')}. In half of the passes "
        f"(all writes or all reads of a run) the fastest 5 % of the files, of any size, are at "
        f"least {apart:.1f}\u00d7 as fast as the slowest 5 %.",
        f"{int(rows['outliers'].sum()):,} of the files "
        f"({words.percent(rows['outliers'].sum() / rows['files'].sum())}) are "
        f"outliers for their size; {int(rows['slow_outliers'].sum()):,} of them were slow.",
    ]
    if len(several):
        slower = int((counting["order_correlation"] < 0).sum())
        sentences.append(
            f"The order of the files matters in {len(counting)} of "
            f"{words.count(len(several), 'pass', 'passes')}"
            + (f"; in {slower} of these, later files are slower." if len(counting) else ".")
        )
    if len(first):
        sentences.append(
            f"The first file of a pass reaches {words.percent(first.median())} of the median rate "
            "of its size (median of "
            f"{words.count(len(first), 'pass', 'passes')})."
        )
    return show.text(" ".join(sentences))
