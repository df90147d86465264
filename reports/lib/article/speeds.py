"""The article's tables of speeds, row by row in its order, with the measured ones."""

from functools import partial

import pandas as pd

from lib import show, tables, words
from lib.article import cells, method
from lib.database import query

ROWS = """
        select *
        from comparable_article
        where article = $article{which}
        order by table_order, measured_host nulls first, measured_release nulls first, op desc
        """


def rows_of(article: str, table: str | None) -> pd.DataFrame:
    """The rows of one table in `comparable_article`; without a name, those of none."""
    which = " and table_name is not distinct from $table"
    return query(ROWS.format(which=which), article=article, table=table)


def all_of(article: str) -> pd.DataFrame:
    """All rows of the article in `comparable_article`, including those of its text."""
    return query(ROWS.format(which=""), article=article)


def one(article: str, table: str | None, title: str) -> show.Shown | None:
    """One table: each published row once, then a line for each host and release."""
    rows = rows_of(article, table)
    numbers = rows["published_gbps"].notna() | rows["measured_gbps"].notna()
    bare = rows["table_order"].nunique()
    rows = rows[numbers.groupby(rows["table_order"]).transform("any")]
    bare -= rows["table_order"].nunique()
    if rows.empty:
        return None
    omitted = f"; without {words.count(bare, 'row')} whose numbers the text does not give"
    return cells.with_others(
        rows,
        partial(_table, command=method.of_rows(rows)),
        f"figures-{table or 'text'}",
        f"{title}{omitted if bare else ''}",
        f"{title}, {cells.OTHERS}",
    )


def usual(rows: pd.DataFrame) -> tuple[str, str]:
    """The most frequent Mac and release of the rows."""
    pairs = rows.groupby(["host", "macos"], sort=False)["table_order"].nunique()
    return pairs.idxmax()


def _usual_condition(rows: pd.DataFrame) -> str | None:
    """The condition of most rows, if every row has one and two of three have the same."""
    conditions = rows.drop_duplicates("table_order")["condition"]
    share = conditions.value_counts(normalize=True)
    return share.index[0] if conditions.notna().all() and share.iloc[0] >= 2 / 3 else None


def _table(rows: pd.DataFrame, name: str, caption: str, command: str | None) -> show.Shown | None:
    usually = (*usual(rows), _usual_condition(rows))
    group = _heading(rows)
    notes = tables.Notes()
    columns = [
        tables.sentence(
            "Image", lambda line: cells.image(_one(line), usually, group, notes), common=True
        )
    ]
    columns += [
        tables.number(
            f"{op} (GB/s)",
            lambda line, op=op: cells.published(line.get(op), notes),
            over="Published",
            common=True,
        )
        for op in words.VERBS
    ]
    measured = rows["measured_host"].notna().any()
    if measured:
        columns.append(tables.text("on", lambda line: cells.where(_one(line)), over="Measured"))
        columns += [
            tables.number(
                f"{op} (GB/s)",
                lambda line, op=op: cells.measured(line.get(op), notes),
                over="Measured",
            )
            for op in words.VERBS
        ]
        columns.append(tables.sentence("Verdict", cells.verdicts))
    names = {"format": words.FORMATS, "storage": words.STORAGES}
    return tables.table(
        _lines(rows),
        columns,
        f"{caption}. {_source(*usually, measured)}",
        name=name,
        classes="wide",
        heading=group and (lambda line: words.capital(words.name(names[group], _one(line)[group]))),
        block=lambda line: _one(line)["table_order"],
        notes=notes,
        source=rows,
        command=command,
    )


def _one(line: dict[str, dict]) -> dict:
    """Either direction of a line: they are of one image."""
    return next(iter(line.values()))


def _source(host: str, macos: str, condition: str | None, measured: bool) -> str:
    """Where the figures are from, and how they were measured."""
    known = words.joined([words.mac(host, macos), condition])
    said = f"Published: {known}, unless noted." if known else ""
    if measured:
        said += (
            " Measured: the inverse of the Theil\u2013Sen slope; below it the 95 % interval across "
            "runs, and measured / published."
        )
    return said.strip()


def _heading(rows: pd.DataFrame) -> str | None:
    """The heading of adjacent rows: their common storage or format."""
    stated = rows.drop_duplicates("table_order")
    for key in ("storage", "format"):
        values = stated[key]
        together = (values != values.shift()).sum() == values.nunique()
        if 1 < values.nunique() < len(values) and together and "unstated" not in set(values):
            return key
    return None


def _lines(rows: pd.DataFrame) -> list[dict[str, dict]]:
    """The directions of each published row, host and release; the article's Mac first.

    A direction that is neither published nor measured has no line of its own; the other
    direction's line includes it.
    """
    keys = ["table_order", "measured_host", "measured_release"]
    bare = rows["published_gbps"].isna() & rows["measured_host"].isna()
    bare &= ~bare.groupby(rows["table_order"]).transform("all")
    found = [
        {row["op"]: row for row in group.to_dict("records")}
        for _, group in rows[~bare].groupby(keys, dropna=False, sort=False)
    ]
    for row in rows[bare].to_dict("records"):
        for line in found:
            if _one(line)["table_order"] == row["table_order"]:
                line.setdefault(row["op"], row)

    def place(line: dict[str, dict]) -> tuple:
        row = _one(line)
        return (row["table_order"], *cells.place(row))

    return sorted(found, key=place)
