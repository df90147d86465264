"""The charts of an article: published and measured figures side by side."""

import pandas as pd

from lib import show, words
from lib.article import method, short
from lib.charts import beside
from lib.database import query


def pair(
    article: str, name: str, rows: pd.DataFrame, found: dict[str, str], about: str, where: str = ""
) -> show.Shown:
    """A chart for each direction with published figures, on one scale.

    Rows: of `comparable_article`, with the label of a row in `what`. `found` is the finding in each
    direction; whether our figures agree is added. `about` is the subject, `where` the Mac and macOS
    of the published figures.
    """
    drawn = {op: beside.speeds(rows, op) for op in found}
    drawn = {op: table for op, table in drawn.items() if not table.empty}
    top = max(table["high"].max() for table in drawn.values())
    measured = any((table["series"] != beside.PUBLISHED).any() for table in drawn.values())
    specs = [
        (
            f"chart-{name}-{op}",
            beside.beside(
                table,
                f"{words.capital(words.VERBS[op])}: {found[op]}{agreeing(rows, op)}",
                f"Points: {op} speed of {about}, {_published(where)}"
                + (", and as measured, with 95 % intervals across runs" if measured else ""),
                top,
            ),
        )
        for op, table in drawn.items()
    ]
    return show.row(
        *specs,
        caption=_caption(about, where, measured, "with the 95 % interval across runs"),
        rows=rows,
        command=method.command(article),
    )


def _published(where: str) -> str:
    return f"as published ({where})" if where else "as published"


def _caption(about: str, where: str, measured: bool, interval: str) -> str:
    said = f"{words.capital(about)}. Diamonds: {_published(where)}, one figure each, no interval. "
    if measured:
        return f"{said}Other marks: measured ({interval})."
    return said.strip()


def agreeing(rows: pd.DataFrame, op: str) -> str:
    """How many figures with a verdict are reproduced, to append to a finding."""
    judged = rows[(rows["op"] == op) & rows["verdict"].isin(short.JUDGED)]
    if judged.empty:
        return ""
    same = (judged["verdict"] == "reproduced").sum()
    counted = f"; {same} of {len(judged)} reproduced here"
    return words.measured_by(counted, judged["vouched_by"])


def label(row: pd.Series, *parts: str) -> str:
    """The label of a row, made of the columns that distinguish the rows of a chart."""
    names = {
        "format": words.short(row["format"]),
        "encryption": words.encryption(row["encryption"]),
        "phase": words.phase(row["phase"]),
        "storage": "internal SSD" if row["storage"] == "internal" else "USB4 SSD",
        "host": words.host(row["host"]),
        "macos": f"macOS {row['macos']}",
    }
    return words.joined(names[part] for part in parts)


def sizes(
    article: str, parts: dict[str, tuple[list[str], str, str]], about: str, where: str
) -> show.Shown | None:
    """A chart of allocated sizes for each of `parts`: the states, the unit, and the finding.

    States with gigabytes and states with megabytes have separate axes.
    """
    rows = query(
        """
        select *
        from comparable_article_size
        where article = $article and quantity = 'on-disk'
        order by table_order, measured_host nulls first, measured_release nulls first
        """,
        article=article,
    )
    specs, measured = [], False
    for name, (states, unit, title) in parts.items():
        of = rows[rows["state"].isin(states)]
        # the title names a state that all have in common
        states_of = [words.state(state) if len(states) > 1 else "" for state in of["state"]]
        images = zip(map(words.short, of["format"]), states_of, strict=True)
        points = beside.sizes(of.assign(what=list(map(words.joined, images))), unit)
        measured |= (points["series"] != beside.PUBLISHED).any()
        top = points["high"].max()
        described = f"Points: allocated size in {unit} of {about}, {_published(where)}"
        specs.append((f"chart-sizes-{name}", beside.beside(points, title, described, top, unit)))
    return show.row(
        *specs,
        caption=_caption(f"allocated size of {about}", where, measured, "a size has no interval"),
        rows=rows,
        command=method.command(article),
    )
