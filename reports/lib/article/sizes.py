"""The sizes in an article, in its order, with the measured ones."""

from functools import partial

import pandas as pd

from lib import show, tables, words
from lib.article import cells
from lib.article import method as method_of
from lib.database import query

QUANTITIES = {
    "on-disk": "on disk",
    "nominal": "size of the image",
    "free": "free inside",
    "reclaimed": "freed by compaction",
    "band": "size of a band",
    "bands": "bands",
    "capacity": "capacity of the disk",
    "files": "files",
    "files-total": "all files together",
    "files-left": "files left",
    "files-deleted": "files deleted",
    "smallest-file": "smallest file",
    "largest-file": "largest file",
    "smallest-deleted-file": "smallest file deleted",
    "largest-deleted-file": "largest file deleted",
}
# quantities that a run of the protocol measures; the others describe the method
RESULTS = ("on-disk", "free", "reclaimed", "bands")


def one(article: str, table: str | None, title: str) -> show.Shown | None:
    """Sizes of one table, or those outside tables: each published row once, then measured ones."""
    rows = _rows("comparable_article_size", article, table)
    if rows.empty:
        return None
    return cells.with_others(
        rows,
        partial(_table, command=method_of.of_rows(rows)),
        f"sizes-{table or 'text'}",
        title,
        f"{title}, {cells.OTHERS}",
    )


def method(article: str, table: str | None, title: str) -> show.Shown | None:
    """Sizes and counts of the method: they are no results, so there are no measured ones."""
    rows = _rows("published_size", article, table)
    rows = rows[~rows["quantity"].isin(RESULTS)]
    notes = tables.Notes()
    return tables.table(
        rows,
        [
            tables.sentence("What", lambda row: _what(row, notes)),
            tables.sentence("Of", _image),
            tables.number("Published", _published),
            tables.text("In its words", "quote", words.quoted),
        ],
        title,
        name=f"method-{table or 'text'}",
        classes="wide",
        notes=notes,
    )


def _rows(source: str, article: str, table: str | None) -> pd.DataFrame:
    order = "table_order"
    if source == "comparable_article_size":
        order += ", measured_host nulls first, measured_release nulls first"
    return query(
        f"""
        select * from {source}
        where article = $article and table_name is not distinct from $table
        order by {order}
        """,
        article=article,
        table=table,
    )


def _table(rows: pd.DataFrame, name: str, caption: str, command: str | None) -> show.Shown | None:
    notes = tables.Notes()
    columns = [
        tables.sentence("Image", _image, common=True),
        tables.sentence("What", lambda row: _what(row, notes), common=True),
        tables.number("Published", _published, common=True),
    ]
    if rows["measured_host"].notna().any():
        columns += [
            tables.text("on", cells.where, over="Measured"),
            tables.number("size", _measured, over="Measured"),
            tables.sentence("Verdict", cells.verdict),
        ]
    return tables.table(
        sorted(rows.to_dict("records"), key=lambda row: (row["table_order"], *cells.place(row))),
        columns,
        caption,
        name=name,
        classes="wide",
        block="table_order",
        notes=notes,
        source=rows,
        command=command,
    )


def _image(row: dict) -> tables.Markup:
    name = words.form(row["format"])
    encryption = row["encryption"]
    coded = "" if encryption in ("none", "any", "unstated") else encryption
    return tables.with_small(words.capital(name), coded)


def _what(row: dict, notes: tables.Notes) -> tables.Markup:
    """The quantity, the state and the condition of a size; doubts in a note."""
    state = "" if row["state"] == "any" else words.state(row["state"])
    quantity = words.capital(words.name(QUANTITIES, row["quantity"]))
    return tables.with_small(
        notes.on(quantity, row["note"]), words.joined([state, row["condition"]])
    )


def _published(row: dict) -> str:
    return words.bound(row["kind"], row["quote"]) + words.printed(row)


def _measured(row: dict) -> tables.Markup:
    """The median of our runs in the article's unit, and the ratio if they are comparable."""
    if words.missing(row["measured_host"]):
        return tables.markup("")
    if words.missing(row["measured_value"]):
        return tables.absent()
    value = row["measured_value"]
    whole = row["unit"] in ("bands", "files")
    number = f"{int(value):,}" if whole else words.significant(float(value))
    below = [words.count(int(row["measured_runs"]), "run")]
    if row["verdict"] != "not comparable" and not words.missing(row["ratio"]):
        below.append(words.ratio(row["ratio"]))
    return tables.with_small(f"{number} {row['unit']}", "; ".join(below))
