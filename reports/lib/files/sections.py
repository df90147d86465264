"""The files of each chosen cell: their time, their rate, their place in the pass."""

from html import escape

import pandas as pd

from lib import show, words
from lib.charts import files as charts
from lib.database import query
from lib.files import chooser, titles
from lib.files.measured import EVERY_FILE, in_cells


def shown(rows: pd.DataFrame, cells: pd.DataFrame) -> show.Shown:
    """The files of the chosen cells, a section each, and the choice between them."""
    if cells.empty:
        return show.text("Not measured yet.")
    samples = query(
        in_cells(
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
    return show.together(chooser.shown(cells), *parts, show.html(chooser.CHOOSE))


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
            f'<section class="files-of-cell" id="files-{number}">'
            f"<h3>{escape(chooser.name(cell))}</h3>"
        ),
        show.row(
            (
                size,
                charts.against_size(
                    rows,
                    fits,
                    titles.fitted(one),
                    f"Points: time of every file against its size, {told}",
                ),
            ),
            (
                rate,
                charts.by_size(
                    rows, titles.apart(one), f"Points: rate of every file by size, {told}"
                ),
            ),
            (
                place,
                charts.by_position(
                    rows,
                    titles.ordered(one),
                    f"Points: rate of every file by its place in the pass, {told}",
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
