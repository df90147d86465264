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
        sentences.append(
            f"The order of the files matters in {len(counting)} of "
            f"{words.count(len(several), 'pass', 'passes')}"
            + _which_way(counting["order_correlation"])
        )
    if len(first):
        sentences.append(
            f"The first file of a pass reaches {words.percent(first.median())} of the median rate "
            "of its size (median of "
            f"{words.count(len(first), 'pass', 'passes')})."
        )
    return show.text(" ".join(sentences))


def _which_way(correlations: pd.Series) -> str:
    """Whether later files are slower or faster if order matters; the end of a sentence."""
    slower, every = int((correlations < 0).sum()), len(correlations)
    if not every:
        return "."
    if 0 < slower < every:
        return f"; in {slower} of these, later files are slower."
    where = {1: "that one", 2: "both"}.get(every, f"all {every}")
    return f"; in {where}, later files are {'slower' if slower else 'faster'}."
