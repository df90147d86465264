"""The files of each chosen cell: time, rate, position in the pass."""

from html import escape

import pandas as pd

from lib import show, words
from lib.charts import files as charts
from lib.database import query
from lib.files.measured import EVERY_FILE, in_cells

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
  const linked = location.hash.slice(1);
  if (sections.some((section) => section.id === linked)) choice.value = linked;
  choice.addEventListener("change", show);
  document.getElementById("choose-files").hidden = sections.length < 2;
  show();
});
</script>
"""


def shown(rows: pd.DataFrame, cells: pd.DataFrame) -> show.Shown:
    """A section for each chosen cell, with a menu."""
    if cells.empty:
        return show.text("Not measured yet.")
    samples = query(
        in_cells(
            """
            select
                sample.cell, sample.op, sample."order",
                -- a set has 16 files, and sample."set" begins again with every round of churn
                (sample."order" - 1) // 16 + 1 as "set",
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
        in_cells(
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
    return show.together(_choice(cells), *parts, show.html(CHOOSE))


def _section(number: int, cell: dict, rows: pd.DataFrame, fits: pd.DataFrame) -> show.Shown:
    both = fits.to_dict("records")
    driver, sql = cell["driver"], EVERY_FILE.format(cell["cell"])
    subject = f"{cell['what']}, {cell['machine']}, driver {driver}"
    size, rate, place = (
        f"chart-files-{driver}-{number}-{kind}" for kind in ("size", "rate", "order")
    )
    outliers = int(fits["outliers"].sum())
    return show.together(
        show.html(
            f'<section class="files-of-cell" id="files-{number}"><h3>{escape(_name(cell))}</h3>'
        ),
        show.row(
            (
                size,
                charts.against_size(
                    rows,
                    fits,
                    _fitted(both),
                    f"Points: time of every file against its size, {subject}",
                ),
            ),
            (
                rate,
                charts.by_size(
                    rows, _apart(both), f"Points: rate of every file by size, {subject}"
                ),
            ),
            (
                place,
                charts.by_position(
                    rows,
                    _ordered(both),
                    f"Points: rate of every file by its place in the pass, {subject}",
                ),
            ),
            caption=f"{len(rows):,} writes and reads of files, one point each; "
            f"{words.count(outliers, 'outlier')} in rings. Time by size: the "
            "fitted line, with the 95 % interval of its slope (Theil-Sen) within this one run; its "
            "intercept is the median of the residuals. "
            "Rate by size: lines join the medians of the sizes. By position: each rate as a share "
            "of the median of its size, so that size does not matter; lines join the medians of "
            "the sets.",
            rows=sql,
        ),
        show.html("</section>"),
    )


def _fitted(fits: list[dict]) -> str:
    """The slope of each direction, with its interval within the run shown."""
    parts = []
    for fit in fits:
        if not words.missing(fit["theil_sen_gbps"]):
            span = words.interval(fit["theil_sen_gbps_low"], fit["theil_sen_gbps_high"])
            parts.append(
                f"{words.VERBS[fit['op']]} {words.gbps(fit['theil_sen_gbps'])} GB/s"
                + (f" ({span})" if span else "")
            )
    return f"Slope: {', '.join(parts)}" if parts else "No slope could be fitted"


def _apart(fits: list[dict]) -> str:
    """The slowest and the fastest file of each direction."""
    parts = [
        f"{words.VERBS[fit['op']]} {words.interval(fit['min_gbps'], fit['max_gbps'])} GB/s"
        for fit in fits
    ]
    return f"From file to file: {', '.join(parts)}"


def _ordered(fits: list[dict]) -> str:
    """Whether order matters in each direction."""
    effects = []
    for fit in fits:
        if words.missing(fit["order_correlation"]):
            continue
        later = "slower" if fit["order_correlation"] < 0 else "faster"
        effect = f"later files are {later}" if fit["order_counts"] else "no effect of order shown"
        figure = f"{fit['order_correlation']:+.2f}".replace("-", "\u2212")
        effects.append(f"{words.VERBS[fit['op']]}, {effect} ({figure})")
    return (
        words.capital("; ".join(effects)) if effects else "Too few files of a size to see an order"
    )


def _name(cell: dict) -> str:
    """The words for a cell in the list of those that can be chosen."""
    return f"{cell['machine']}: {cell['what']} (driver {cell['driver']}, {cell['scale']})"


def _choice(cells: pd.DataFrame) -> show.Shown:
    """The list of the cells, hidden until a script makes it work."""
    options = "".join(
        f'<option value="files-{number}">{escape(_name(cell))}</option>'
        for number, cell in enumerate(cells.to_dict("records"), start=1)
    )
    return show.html(
        '<p id="choose-files" hidden><label for="choose-cell">Cell to show</label> '
        f'<select id="choose-cell">{options}</select></p>'
    )
