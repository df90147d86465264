"""The cost of a format: our own images compared with the disk itself in the same run."""

import pandas as pd

from lib import order, rules, runs, show, tables, words
from lib.charts.costs import forest
from lib.database import alike, query

FEW = "too few runs"


def shown(rows: pd.DataFrame) -> show.Shown:
    """The answer and the table; one line if nothing is comparable."""
    if rows.empty:
        return show.elsewhere(
            "No image has been compared with the disk itself yet. That needs larger files than "
            "those of scale *smoke*: `bash workflow/run.sh --config scale=tenth` measures them. "
            "The reason for each ratio",
            "select * from format_cost order by cell, op",
        )
    explained = show.text(
        "An image of our own compared with the disk itself in the same run: the same files in the "
        "same blocks, all bytes / all time. 1\u00d7 is as fast as the disk itself. [Methods]"
        "(methods.qmd) has the rules of the verdicts."
    )
    return show.together(explained, _answers(rows), busy(), *forests(rows), table(rows))


def judged() -> pd.DataFrame:
    """The comparable rows of `format_cost`; usage-phases first, as its reads come from the disk."""
    return query(
        f"""
        select cost.*, cell.driver, cell.stand_in
        from format_cost as cost
        inner join cell using (cell)
        where cost.verdict not in ('not comparable', 'not compared')
        order by
            {order.by("cost.protocol")},
            cost.host, cost.release, cost.storage, {order.by("cost.scale")},
            {order.by("cost.format", "cost.encryption")}, cost.band_bytes nulls first,
            {order.by("cost.phase")}, cost.cell, cost.op
        """
    )


def _answers(rows: pd.DataFrame) -> show.Shown | None:
    """Two sentences for each machine: speeds of encrypted and unencrypted images; verdicts."""
    keys = ["host", "release", "stand_in", "scale"]
    parts = [
        _answer(f"{words.machine(*machine)}, scale {scale}", part)
        for (*machine, scale), part in rows.groupby(keys, sort=False)
    ]
    return show.together(*parts)


def _answer(machine: str, rows: pd.DataFrame) -> show.Shown:
    said = []
    for kind, part in (
        ("images without encryption", rows[rows["encryption"] == "none"]),
        ("encrypted ones", rows[rows["encryption"] != "none"]),
    ):
        spans = [
            f"{op} at {words.span(*map(words.ratio, of['ratio'].agg(['min', 'max'])))}"
            for op, _, of in runs.directions(part)
        ]
        said += [f"{kind} {words.listed(spans)}"] if spans else []
    counts = [f"{count} {verdict}" for verdict, count in rows["verdict"].value_counts().items()]
    return show.text(
        f"**{machine}**: compared with the disk itself, {'; '.join(said)}. "
        f"Verdicts on {words.count(len(rows), 'ratio')}: {words.listed(counts)}."
    )


def forests(rows: pd.DataFrame) -> list[show.Shown]:
    """A chart for each machine, storage and scale, with the first protocol."""
    rows = rows[rows["ratio"].notna() & (rows["protocol"] == rows["protocol"].iloc[0])]
    keys = ["host", "release", "storage", "scale"]
    return [_forest(part) for _, part in rows.groupby(keys, sort=False)]


def _forest(rows: pd.DataFrame) -> show.Shown:
    one = rows.iloc[0].to_dict()
    rows = rows.assign(
        what=[f"{words.image_of(row)}, {runs.state_of(row)}" for row in rows.to_dict("records")]
    )
    judged = rows[rows["verdict"] != FEW]
    slower = int((judged["verdict"] == "slower").sum())
    title = (
        f"Slower than the disk itself: {slower} of {words.count(len(judged), 'ratio')}"
        if len(judged)
        else "Too few runs to say what is slower than the disk itself"
    )
    description = f"Points: speed of images of our own / that of the disk itself; {_where(one)}"
    return show.chart(
        "-".join(["chart-cost", *(one[key] for key in ("host", "release", "storage", "scale"))]),
        forest(rows, title, description),
        f"{_where(one)}. Points: all runs of an image / those of the disk itself; rules: 95 % "
        "interval across runs, where there are enough of them; the dashed line is the speed of the "
        "disk itself.",
        rows=f"""
            select format, encryption, phase, op, runs, ratio, ratio_low, ratio_high, verdict
            from format_cost
            where {alike(one, "host", "release", "storage", "protocol", "scale")}
                and ratio is not null
                and verdict not in ('not comparable', 'not compared')
            order by all
        """,
    )


def table(rows: pd.DataFrame) -> show.Shown:
    """A line for each image and state, write and read side by side; other protocols are folded."""
    first = rows["protocol"] == rows["protocol"].iloc[0]
    further = [words.protocol(slug) for slug in rows[~first]["protocol"].unique()]
    title = f"The same by further protocols: {words.listed(further)}"
    return show.together(
        _table(rows[first], "format-cost"),
        show.folded(title, _table(rows[~first], "format-cost-further")),
    )


def _table(rows: pd.DataFrame, name: str) -> show.Shown:
    return tables.table(
        tables.by_direction(rows, "cell"),
        [
            tables.sentence("Image", words.image_of, common=True),
            tables.sentence(
                "State",
                lambda row: tables.with_small(
                    runs.state_of(row), words.count(row["runs"], "run") if row["runs"] > 1 else ""
                ),
            ),
            tables.number("Write, of the disk itself", "write", _ratio),
            tables.text("Verdict, write", "write", _verdict),
            tables.number("Read, of the disk itself", "read", _ratio),
            tables.text("Verdict, read", "read", _verdict),
        ],
        "Speed of our own images / that of the disk itself in the same run: all bytes / all time, "
        "with 95 % intervals across runs",
        heading=_where,
        block=lambda row: (row["host"], row["release"], words.image_of(row)),
        name=name,
        classes="wide",
    )


def busy() -> show.Shown | None:
    """How many ratios may be affected by other work; empty if none."""
    rows = query(
        """
        select count(*) filter (where list_contains(notes, 'busy')) as busy, count(*) as ratios
        from format_cost
        where ratio is not null
        """
    ).iloc[0]
    if not rows["busy"]:
        return None
    return show.text(
        f"**During {rows['busy']} of the {words.count(rows['ratios'], 'ratio')} something else may "
        "have been running** (see below): such a ratio can say more about that than about the "
        "format."
    )


def _where(row: dict) -> str:
    storage = words.storage(row["storage"])
    protocol = words.protocol(row["protocol"])
    machine = words.machine(row["host"], row["release"], row["stand_in"])
    return f"{machine}, on {storage}: {protocol}, scale {row['scale']} (driver portable)"


def _ratio(row: dict) -> tables.Markup:
    """The ratio, its interval and the number of files."""
    if words.missing(row["ratio"]):
        return tables.absent("no ratio")
    span = words.ratios(row["ratio_low"], row["ratio_high"])
    return tables.with_small(
        words.ratio(row["ratio"]), words.joined([span, words.count(row["files"], "file")], "; ")
    )


def _verdict(row: dict) -> tables.Markup:
    few = rules.too_few(row["runs"]) if row["verdict"] == FEW else ""
    return tables.with_small(tables.verdict(row["verdict"]), few)
