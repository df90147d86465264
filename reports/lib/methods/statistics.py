"""The summaries of a cell's files."""

from lib import show, study, tables

OTHERS = "percentiles of the resamples"
STATISTICS = (
    (
        "Theil\u2013Sen, the headline",
        "1 / median of (t<sub>j</sub> \u2212 t<sub>i</sub>) / (s<sub>j</sub> \u2212 s<sub>i</sub>)"
        " over all pairs of files of different size",
        "The cost of each further byte. The fixed cost of a file is left out, and a few outliers "
        "change nothing",
        "order statistics of the slopes (Sen 1968). Their ranks follow from the variance of "
        "Kendall\u2019s S, estimated file by file and within each size, as large files vary more "
        "(Hoeffding 1948; Sen 1960). With few files or much noise there is no upper end",
        "Theil 1950; Sen 1968",
    ),
    ("Total", "\u03a3 s / \u03a3 t", "All bytes / all time. Large files dominate", OTHERS, ""),
    (
        "Mean",
        "mean of s / t",
        "Every file counts the same, so small files, where syncing costs most, lower it",
        OTHERS,
        "",
    ),
    (
        "Median",
        "median of s / t",
        "Half of the files were faster",
        OTHERS,
        "not known to be the tool\u2019s",
    ),
    (
        "Regression",
        "1 / slope of t on s by least squares",
        "The cost of each further byte, mostly that of the largest files",
        OTHERS,
        "the line that the tool\u2019s author drew in charts, 2020 to 2024",
    ),
    (
        "20 % trimmed mean",
        "mean of s / t without the lowest and the highest 20 %",
        "The mean without outliers at either end",
        OTHERS,
        "named in an article on the tool behind the figures, 2021",
    ),
)


def shown() -> show.Shown:
    """The six summaries of a cell's files: s is the size of a file, t its time."""
    return tables.table(
        STATISTICS,
        [
            tables.text("Statistic", 0),
            tables.text("Formula", 1, tables.Markup),
            tables.sentence("In words", 2),
            tables.text("Interval within one run", 3),
            tables.text("Source", 4),
        ],
        "The six statistics: s is the size of a file, t its time. Percentiles are those of "
        f"{study.resamples():,} resamples within each size, each with one file fewer (Efron 1979; "
        "Rao and Wu 1988); with one file of each size (scale tenth) there are none",
        name="statistics",
        classes="wide",
    )
