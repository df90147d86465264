"""The spread of the rates of a cell's files, with what articles state of it."""

import pandas as pd

from lib import links, show, words
from lib.charts import files as charts
from lib.database import query
from lib.files.measured import in_cells


def stated(measured: bool) -> show.Shown:
    """A sentence for each published statement about single files."""
    sentences = [
        f"An article of {words.month(row.published_on)} says that files of "
        f"{row.condition.removeprefix('single files, ')} were written at "
        f"[\u201c{show.plain(row.quote)}\u201d]({links.to(f'articles/{row.article}.html')})."
        for row in _ranges().itertuples()
    ]
    if measured:
        sentences.append("Below is the same span for each cell that this page shows.")
    return show.text(" ".join(sentences))


def shown(rows: pd.DataFrame, cells: pd.DataFrame) -> show.Shown | None:
    """The spread of the rates in the chosen cells, with published ranges."""
    stated = _ranges()
    measured = rows[rows["cell"].isin(cells["cell"])]
    names = zip(measured["machine"], measured["what"], strict=True)
    measured = measured.assign(what=[f"{machine}: {what}" for machine, what in names])
    if measured.empty and len(stated):
        return _spread(measured, stated, "published", "")
    # speeds depend on the scale
    return show.together(
        *(
            _spread(part, stated if driver == "apple" else stated.head(0), driver, scale)
            for (driver, scale), part in measured.groupby(["driver", "scale"], sort=False)
        )
    )


def _spread(measured: pd.DataFrame, stated: pd.DataFrame, driver: str, scale: str) -> show.Shown:
    apart = measured["max_gbps"] / measured["min_gbps"]
    if measured.empty:
        low, high = stated["low"].min(), stated["high"].max()
        title = (
            f"Published: files of one image between {words.gbps(low)} and {words.gbps(high)} GB/s"
        )
    else:
        title = (
            f"From file to file, rates differ {apart.min():,.0f} to {apart.max():,.0f} times "
            f"({driver}, scale {scale})"
        )
    caption = (
        "Thin line: slowest to fastest file. Thick: the middle 90 %. Point: median. Files of all "
        "sizes together."
        if len(measured)
        else ""
    )
    if len(stated):
        caption += " Hollow diamonds: the range that the article states."
    chart = charts.spread(
        measured,
        stated,
        title,
        "Lines: slowest to fastest rate of the files of "
        + ("an image, as published" if driver == "published" else f"each cell, driver {driver}")
        + ", logarithmic scale",
    )
    sql = in_cells("select * from file_summary where cell in ({}) order by cell, op desc", measured)
    name = f"chart-spread-{driver}-{scale}".rstrip("-")
    return show.chart(name, chart, caption, rows=sql if len(measured) else stated)


def _ranges() -> pd.DataFrame:
    """The published ranges of rates between files."""
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
            f"{words.mac(row.host, row.macos)}: "
            f"{row.condition.removeprefix('single files, ')}, published"
            for row in rows.itertuples()
        ]
    )
