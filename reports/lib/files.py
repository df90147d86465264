"""Every single file of a cell: time against size, outliers, order, how far rates lie apart."""

import math
from html import escape

import pandas as pd

from lib import links, runs, show, tables, words
from lib.charts import files as charts
from lib.database import query

MOST = 10  # cells whose files stand in the page: the others are one click away
VERBS = {"write": "writing", "read": "reading"}
# cells that show most, first: one that is not encrypted, the encrypted one that lost most, ...
WANTED = [
    ("UDSB", "none"),
    ("UDRW", "AES-256"),
    ("ASIF", "none"),
    ("UDSB", "AES-256"),
    ("UDRW", "none"),
    ("ASIF", "AES-256"),
]

RULE = (
    "An **outlier** is a file whose rate differs from that of the files of its own size in the "
    "same pass by more than "
    "3.5 robust standard deviations: of the logarithm of the rate, from the median of its size; "
    "the deviation is "
    "1.4826 times the median absolute deviation, the larger of those of that size and of the "
    "whole pass. With fewer "
    "than five files of a size none is named. Outliers stay in every statistic. **Order** is the "
    "rank correlation "
    "(Spearman) of a file\u2019s place in the pass with its rate, as a share of the median of its "
    "size: below 0, later "
    "files are slower. It is marked where chance alone would give it once in a thousand passes."
)

EVERY_FILE = """
    select
        op, "order", "set", size_bytes / 1e6 as mb, elapsed_ns / 1e6 as ms,
        size_bytes / elapsed_ns as gbps, slept
    from sample
    where cell = '{}'
    order by op desc, "order"
"""


def summaries() -> pd.DataFrame:
    """`file_summary` with the names of cells, in the order of `runs.cells()`."""
    rows = query("select * from file_summary")
    sql = rows.attrs["sql"]
    listed = runs.cells().drop(columns=["os_version", "os_build"])
    rows = listed.merge(rows, on="cell")
    rows.attrs["sql"] = sql
    return rows


def finding(rows: pd.DataFrame) -> show.Shown:
    """What all files together tell, in three sentences."""
    if rows.empty:
        return show.text(
            "No file has been written or read here yet, so this page has only what an article "
            "states. "
            f"`{runs.RUN}` measures this machine, every file by itself."
        )
    several = rows[rows["order_correlation"].notna()]
    counting = several[several["order_counts"].fillna(False).astype(bool)]
    first = rows["first_file_ratio"].dropna()
    # cut off, not rounded: it is said to be more than that
    apart = math.floor(10 * (rows["p95_gbps"] / rows["p5_gbps"]).median()) / 10
    told = [
        f"**{int(rows['files'].sum()):,} writes and reads of files** in "
        f"{words.count(rows['cell'].nunique(), 'cell')}. In the middle pass "
        f"the fastest twentieth of the files is more than {apart:.1f}\u00d7 as fast as the "
        "slowest twentieth, all sizes "
        "together.",
        f"{int(rows['outliers'].sum()):,} of them "
        f"({words.percent(rows['outliers'].sum() / rows['files'].sum())}) are "
        f"outliers for their size, {int(rows['slow_outliers'].sum()):,} of them slow ones.",
    ]
    if len(several):
        told.append(
            f"The order of the files counts in {len(counting)} of "
            f"{words.count(len(several), 'pass', 'passes')}"
            + (
                f"; in {(counting['order_correlation'] < 0).sum()} of those later files are slower."
                if len(counting)
                else "."
            )
        )
    if len(first):
        told.append(
            f"The first file of a pass reaches {words.percent(first.median())} of the usual rate "
            "of its size (median of "
            f"{words.count(len(first), 'pass', 'passes')})."
        )
    return show.text(" ".join(told))


def published() -> pd.DataFrame:
    """The ranges of rates from file to file that articles state."""
    return query(
        """
        select
            article, published_on, host, macos, condition, op, value as low, value_to as high, unit,
            as_printed, quote
        from published_figure
        inner join article using (article)
        where quantity = 'speed' and kind = 'range' and contains(condition, 'single files')
        order by article, table_order
        """
    ).assign(
        what=lambda rows: [
            f"published: {row.condition.removeprefix('single files, ')}, "
            f"{words.host(row.host)}, macOS {row.macos}"
            for row in rows.itertuples()
        ]
    )


def told_of_published(measured: bool) -> show.Shown:
    """What the articles say of single files, in a sentence each."""
    told = [
        f"Of files of {row.condition.removeprefix('single files, ')}, an article of "
        f"{words.month(row.published_on)} says that they were written at {row.as_printed}: "
        f"[\u201c{show.plain(row.quote)}\u201d]({links.to(f'articles/{row.article}.html')})."
        for row in published().itertuples()
    ]
    if measured:
        told.append("Below, the same span for each of the cells that this page shows.")
    return show.text(" ".join(told))


def chosen() -> pd.DataFrame:
    """The cells that are drawn: of each host's newest release, new images, its largest scale."""
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
    rows = rows[rows["release"] == rows["release"].iloc[0]]  # the last measured comes first
    rows = rows[rows["repeat"] == rows["repeat"].min()]
    scale = next(scale for scale in runs.SCALES if scale in set(rows["scale"]))
    rows = rows[rows["scale"] == scale]

    def rank(row: dict) -> tuple:
        kind = (row["format"], row["encryption"])
        return (
            row["protocol"] != "usage-phases",
            row["band_bytes"] is not None and not words.missing(row["band_bytes"]),
            row["storage"] != "internal",
            WANTED.index(kind) if kind in WANTED else len(WANTED),
        )

    order = sorted(range(len(rows)), key=lambda at: (rank(rows.iloc[at].to_dict()), at))
    return rows.iloc[order[:quota]]


def spread(rows: pd.DataFrame, cells: pd.DataFrame) -> show.Shown | None:
    """How far the rates of the files of the chosen cells lie apart, beside what is published."""
    stated = published()
    measured = rows[rows["cell"].isin(cells["cell"])].assign(
        what=lambda table: table["what"] + ", " + table["machine"]
    )
    parts = [part for _, part in measured.groupby("driver", sort=False)]
    if not parts and stated.empty:
        return None
    if not parts:
        return _spread(measured, stated, "published")
    return show.together(
        *(
            _spread(part, stated if part["driver"].iloc[0] == "apple" else stated.head(0), driver)
            for part in parts
            for driver in [part["driver"].iloc[0]]
        )
    )


def _spread(measured: pd.DataFrame, stated: pd.DataFrame, driver: str) -> show.Shown:
    apart = measured["max_gbps"] / measured["min_gbps"]
    if measured.empty:
        low, high = stated["low"].min(), stated["high"].max()
        title = (
            f"Published: files of one image between {words.gbps(low)} and {words.gbps(high)} GB/s"
        )
    else:
        title = (
            f"From file to file, rates differ {apart.min():,.0f} to {apart.max():,.0f} times "
            f"({driver})"
        )
    caption = (
        "Thin line: slowest to fastest file. Thick: the middle 90 %. Point: median. Sizes of all "
        "kinds together."
        if len(measured)
        else ""
    )
    if len(stated):
        caption += " Hollow diamonds: the range that the article states."
    chart = charts.spread(
        measured,
        stated,
        title,
        f"Lines: slowest to fastest rate of the files of each cell, driver {driver}, logarithmic "
        "scale",
    )
    sql = _in("select * from file_summary where cell in ({}) order by cell, op desc", measured)
    return show.chart(
        f"chart-spread-{driver}", chart, caption, rows=sql if len(measured) else stated
    )


def _in(sql: str, rows: pd.DataFrame) -> str:
    listed = ", ".join(f"'{cell}'" for cell in dict.fromkeys(rows["cell"]))
    return sql.format(listed)


def sections(rows: pd.DataFrame, cells: pd.DataFrame) -> show.Shown:
    """The files of the chosen cells, a section each, and the choice between them."""
    if cells.empty:
        return show.text("Not measured yet.")
    samples = query(
        _in(
            """
            select
                sample.cell, sample.op, sample."order", sample."set",
                sample.size_bytes / 1e6 as mb,
                sample.elapsed_ns / 1e6 as ms,
                median(sample.elapsed_ns) over (
                    partition by sample.cell, sample.op, sample.size_bytes
                ) / sample.elapsed_ns as share,
                file_outlier.cell is not null as outlier
            from sample
            left join file_outlier using (cell, op, "order")
            where not sample.slept and sample.cell in ({})
            order by sample.cell, sample.op desc, sample."order"
            """,
            cells,
        )
    ).round({"mb": 6, "ms": 5, "share": 4})
    fits = query(
        _in(
            """
            select file_summary.*, measured_speed.theil_sen_gbps,
                measured_speed.theil_sen_gbps_low, measured_speed.theil_sen_gbps_high
            from file_summary
            inner join measured_speed using (cell, op)
            where cell in ({})
            order by cell, op desc
            """,
            cells,
        )
    )
    parts = [
        _section(
            number,
            cell,
            samples[samples["cell"] == cell["cell"]],
            fits[fits["cell"] == cell["cell"]],
        )
        for number, cell in enumerate(cells.to_dict("records"), start=1)
    ]
    return show.together(_chooser(cells), *parts, show.html(CHOOSE))


def name(cell: dict) -> str:
    """The words for a cell in the list of those that can be chosen."""
    return f"{cell['machine']}: {cell['what']} (driver {cell['driver']}, {cell['scale']})"


def _chooser(cells: pd.DataFrame) -> show.Shown:
    options = "".join(
        f'<option value="files-{number}">{escape(name(cell))}</option>'
        for number, cell in enumerate(cells.to_dict("records"), start=1)
    )
    return show.html(
        '<p id="choose-files" hidden><label for="choose-cell">Cell to show</label> '
        f'<select id="choose-cell" style="max-width: 100%">{options}</select></p>'
    )


def _section(number: int, cell: dict, rows: pd.DataFrame, fits: pd.DataFrame) -> show.Shown:
    one = {fit["op"]: fit for fit in fits.to_dict("records")}
    driver, sql = cell["driver"], EVERY_FILE.format(cell["cell"])
    told = f"{cell['what']}, {cell['machine']}, driver {driver}"
    size, rate, place = (
        f"chart-files-{driver}-{number}-{kind}" for kind in ("size", "rate", "order")
    )
    outliers = int(fits["outliers"].sum())
    return show.together(
        show.html(
            f'<section class="files-of-cell" id="files-{number}"><h3>{escape(name(cell))}</h3>'
        ),
        show.row(
            (
                size,
                charts.against_size(
                    rows, fits, _fitted(one), f"Points: time of every file against its size, {told}"
                ),
            ),
            (
                rate,
                charts.by_size(rows, _apart(one), f"Points: rate of every file by size, {told}"),
            ),
            caption=f"{len(rows):,} writes and reads of files, one point each; "
            f"{words.count(outliers, 'outlier')} in rings. Left: the "
            "fitted line with the 95 % interval of its slope (Theil-Sen) and the median of what "
            "is left as its start. "
            "Right: lines join the medians of the sizes.",
            rows=sql,
        ),
        show.chart(
            place,
            charts.by_position(
                rows, _ordered(one), f"Points: rate of every file by its place in the pass, {told}"
            ),
            "Each rate as a share of the median of its size, so that size does not matter here; "
            "lines join the medians "
            "of the sets.",
            rows=sql,
        ),
        show.html("</section>"),
    )


def _fitted(one: dict[str, dict]) -> str:
    parts = []
    for op, verb in VERBS.items():
        if op in one and not words.missing(one[op]["theil_sen_gbps"]):
            span = words.interval(one[op]["theil_sen_gbps_low"], one[op]["theil_sen_gbps_high"])
            parts.append(
                f"{verb} {words.gbps(one[op]['theil_sen_gbps'])} GB/s"
                + (f" ({span})" if span else "")
            )
    return f"Slope: {', '.join(parts)}" if parts else "No slope could be fitted"


def _apart(one: dict[str, dict]) -> str:
    parts = [
        f"{verb} {words.interval(one[op]['min_gbps'], one[op]['max_gbps'])} GB/s"
        for op, verb in VERBS.items()
        if op in one
    ]
    return f"From file to file: {', '.join(parts)}"


def _ordered(one: dict[str, dict]) -> str:
    told = []
    for op, verb in VERBS.items():
        if op not in one or words.missing(one[op]["order_correlation"]):
            continue
        figure = f"{one[op]['order_correlation']:+.2f}".replace("-", "\u2212")
        if not one[op]["order_counts"]:
            told.append(f"{verb}, order does not count ({figure})")
        else:
            later = "slower" if one[op]["order_correlation"] < 0 else "faster"
            told.append(f"{verb}, later files are {later} ({figure})")
    return f"{'; '.join(told)}".capitalize() if told else "Too few files of a size to see an order"


# Sections that are not chosen keep their width, which charts take theirs from, and no reader
# finds them. Without JavaScript all of them stay.
CHOOSE = """
<script>
document.addEventListener("DOMContentLoaded", () => {
  const choice = document.getElementById("choose-cell");
  const sections = [...document.querySelectorAll(".files-of-cell")];
  const away = "visibility: hidden; height: 0; overflow: hidden";
  const show = () => {
    for (const section of sections) section.style.cssText = section.id === choice.value ? "" : away;
  };
  const asked = location.hash.slice(1);
  if (sections.some((section) => section.id === asked)) choice.value = asked;
  choice.addEventListener("change", show);
  document.getElementById("choose-files").hidden = sections.length < 2;
  show();
});
</script>
"""


def overview(rows: pd.DataFrame) -> show.Shown:
    """Every cell, folded by host: the span of its files' rates, outliers, order, and its rows."""
    if rows.empty:
        return show.text("Not measured yet.")
    return show.together(
        *(
            _overview(number, part)
            for number, (_, part) in enumerate(rows.groupby("host", sort=False), start=1)
        )
    )


def _overview(number: int, rows: pd.DataFrame) -> show.Shown:
    host = rows["host"].iloc[0]
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
        "write ends": "slowest to fastest",
        "write outliers": "outliers",
        "write order": "order",
        "read rate": "Read, GB/s: median",
        "read ends": "slowest to fastest",
        "read outliers": "outliers",
        "read order": "order",
    }
    shown = tables.table(
        lines,
        columns,
        "The files of every cell: median rate with the middle 90 %, slowest and fastest file, "
        "outliers, order",
        numbers=[key for key in columns if key != "what"],
        heading="served",
        name=f"files-{host}",
        classes="wide",
        source=f"""
            select file_summary.*
            from file_summary
            inner join cell using (cell)
            where host = '{host}'
        """,
    )
    count = words.count(rows["cell"].nunique(), "cell")
    return show.folded(f"{words.host(host)}: {count}", shown)


def _told(row: dict | None) -> dict[str, object]:
    if row is None:
        return {"rate": tables.absent(), "ends": "", "outliers": "", "order": ""}
    correlation = row["order_correlation"]
    counts = not words.missing(row["order_counts"]) and bool(row["order_counts"])
    return {
        "rate": tables.with_small(
            words.gbps(row["median_gbps"]), words.interval(row["p5_gbps"], row["p95_gbps"])
        ),
        "ends": tables.keep(words.interval(row["min_gbps"], row["max_gbps"])),
        "outliers": row["outliers"],
        "order": ""
        if words.missing(correlation)
        else tables.with_small(f"{correlation:+.2f}", "counts" if counts else ""),
    }


def first_files(rows: pd.DataFrame) -> show.Shown | None:
    """How the first file of a pass did, and where order counts: newest releases, others folded."""
    rows = rows[rows["first_file_ratio"].notna()]
    if rows.empty:
        return None
    newest = rows.groupby("host")["release"].transform("first") == rows["release"]
    shown = _first_files(rows[newest], "first-files")
    if newest.all():
        return shown
    earlier = _first_files(rows[~newest], "first-files-earlier")
    return show.together(shown, show.folded("The same under earlier releases", earlier))


def _first_files(rows: pd.DataFrame, name: str) -> show.Shown:
    lines = []
    for served, part in rows.groupby("served", sort=False):
        line = {"served": served}
        for op in VERBS:
            of = part[part["op"] == op]
            if of.empty:
                continue
            counting = of["order_counts"].fillna(False).astype(bool)
            later = (of.loc[counting, "order_correlation"] < 0).sum()
            span = [words.ratio(end) for end in (of["first_file_ratio"].agg(["min", "max"]))]
            line |= {
                f"{op} first": tables.with_small(
                    words.ratio(of["first_file_ratio"].median()),
                    f"{span[0]} to {span[1]}" if len(of) > 1 else "",
                ),
                f"{op} counts": tables.with_small(
                    f"{counting.sum()} of {len(of)}", f"{later} slower" if counting.any() else ""
                ),
            }
        lines.append(line)
    columns = {
        "served": "Machine",
        "write first": "Write: first file / its size",
        "write counts": "order counts in",
        "read first": "Read: first file / its size",
        "read counts": "order counts in",
    }
    return tables.table(
        lines,
        columns,
        "The first file of a pass beside the median of its size (median of the passes, with the "
        "lowest and the highest), and the passes in which the order of files counts",
        numbers=list(columns)[1:],
        name=name,
        classes="wide",
        source=FIRST_FILES,
    )


FIRST_FILES = """
    select
        host, release, driver, op, count(*) as passes,
        median(first_file_ratio) as first_file_ratio,
        count(*) filter (where order_counts) as order_counts,
        count(*) filter (where order_counts and order_correlation < 0) as later_slower
    from file_summary
    inner join cell using (cell)
    where first_file_ratio is not null
    group by all
    order by all
"""
