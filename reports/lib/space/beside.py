"""Published and measured sizes side by side: a chart, and a table with every verdict."""

import pandas as pd

from lib import show, tables, words
from lib.article import cells, sizes
from lib.charts import space as charts
from lib.space import published


def shown(rows: pd.DataFrame) -> show.Shown:
    """A chart of published and measured sizes, then every published figure with its verdict."""
    return show.together(_chart(rows), _table(rows))


def _chart(rows: pd.DataFrame) -> show.Shown:
    rows = rows[rows["quantity"] == "on-disk"].assign(
        what=lambda table: [published.image_in(row.format, row.state) for row in table.itertuples()]
    )
    # each format from new to emptied
    states = rows["state"].map(list(words.STATES).index)
    rows = rows.assign(place=states).sort_values(["format", "place"], kind="stable")
    stated = rows.drop_duplicates(["article", "table_order"])
    stated = stated.assign(
        basis="published",
        mb=stated["published_bytes"].astype(float) / 1e6,
        where=[f"{row.title}: {words.mac(row.host, row.macos)}" for row in stated.itertuples()],
        verdict="as published",
    )
    ours = rows[rows["shown"]]
    units = ours["unit"].map({"MB": 1.0, "GB": 1e3, "TB": 1e6})
    ours = ours.assign(
        basis="measured",
        mb=ours["measured_value"] * units,
        where=[
            words.machine(row.measured_host, row.measured_release, by=[row.vouched_by])
            for row in ours.itertuples()
        ],
    )
    ours = ours.drop_duplicates(["what", "mb", "where"])
    both = pd.concat([stated, ours]).dropna(subset=["mb"])
    both = both[both["mb"] > 0].sort_values(["format", "place"], kind="stable")
    empty = stated[stated["state"].str.startswith("emptied")]["mb"]
    title = (
        f"An emptied image keeps {words.size(empty.min() * 1e6)} to "
        f"{words.size(empty.max() * 1e6)} "
        "(published)"
    )
    return show.chart(
        "chart-sizes",
        charts.beside(
            both, title, "Points: size on disk by image and state, published and measured, in MB"
        ),
        "Hollow diamonds: sizes that an article states."
        + (" Circles: measured, one for each Mac and release." if len(ours) else ""),
        rows=rows,
    )


def _table(rows: pd.DataFrame) -> show.Shown:
    figures = [
        part.iloc[0].to_dict() | {"ours": part[part["shown"]]}
        for _, part in rows.groupby(["article", "table_order"], sort=False)
    ]
    columns = [
        tables.sentence("Image", "format", words.form),
        tables.text("State", "state", words.state),
        tables.text("What", "quantity", lambda quantity: words.name(sizes.QUANTITIES, quantity)),
        tables.number("Published", lambda row: tables.keep(words.printed(row))),
    ]
    if rows["shown"].any():
        columns += [
            tables.number("Measured", lambda row: _span(row["ours"], row["unit"])),
            tables.sentence("Verdict", "ours", _verdicts),
        ]
    return tables.table(
        figures,
        columns,
        "Sizes, bands and free space that articles state",
        heading=lambda row: f"{row['title']} ({words.mac(row['host'], row['macos'])})",
        name="published-sizes",
        classes="wide",
        source=rows,
        command=" && ".join(rows["command"].dropna().unique()),
    )


def _span(rows: pd.DataFrame, unit: str) -> tables.Markup:
    if rows.empty:
        return tables.absent()
    low, high = rows["measured_value"].min(), rows["measured_value"].max()
    ends = [f"{end:,.0f}" if unit == "bands" else words.significant(end, 3) for end in (low, high)]
    text = words.span(*ends)
    runs_of = rows.drop_duplicates(["measured_host", "measured_release"])
    hosts, pairs = runs_of["measured_host"].nunique(), len(runs_of)
    where = (
        f"1 Mac, {words.count(pairs, 'release')}"
        if hosts == 1
        else f"{hosts} Macs, {pairs} combinations of Mac and release"
    )
    return tables.with_small(f"{text} {unit}", where)


def _verdicts(ours: pd.DataFrame) -> tables.Markup:
    """The verdicts, each with its number of hosts and releases."""
    if ours.empty:
        return tables.verdict("not measured yet")
    counts = ours["verdict"].value_counts()
    by = words.vouched(ours["vouched_by"])
    if len(counts) > 1:
        verdicts = [f"{tables.verdict(what)} {count}\u00d7" for what, count in counts.items()]
        return tables.with_small(tables.Markup(", ".join(verdicts)), by)
    why = words.joined([*cells.reasons_of(ours.iloc[0].to_dict()), by])
    return tables.with_small(tables.verdict(counts.index[0]), why)
