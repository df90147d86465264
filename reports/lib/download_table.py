"""Tables of the downloads: the files in `reports/downloads/` when the page is rendered."""

import pandas as pd

from lib import show, tables, words
from lib.downloads import DATABASE, TARGET


def link(name: str, text: str | None = None) -> tables.Markup:
    """A link with the size of the file; `no file` where this copy of the site has none."""
    found = TARGET / name
    if not found.is_file():
        return tables.absent("no file")
    address = f"downloads/{name}"
    size = words.size(found.stat().st_size).replace(" ", "\u00a0")
    return tables.Markup(f"{tables.link(text or found.name, address)}\u00a0{size}")


def whole() -> show.Shown:
    """The whole database in one file."""
    size = words.size((TARGET / DATABASE).stat().st_size)
    return show.text(
        f"**[{DATABASE}](downloads/{DATABASE})** ({size}) has every table. Any DuckDB from 1.0 "
        "on opens it; it is the file that the page [Query](query.qmd) works on."
    )


def every(contents: pd.DataFrame) -> show.Shown:
    """One row for each table, with its files and their sizes; views have none."""
    return tables.table(
        contents[~contents["view"]].to_dict("records"),
        [
            tables.text("Table", lambda row: tables.link(row["table"], f"#table-{row['table']}")),
            tables.number("Rows", "rows", "{:,}".format),
            tables.text("Parquet", lambda row: link(f"parquet/{row['table']}.parquet", "Parquet")),
            tables.text("CSV", lambda row: link(f"csv/{row['table']}.csv", "CSV")),
        ],
        "Each table as a file of its own, with its size",
        name="downloads",
        heading=lambda row: words.capital(row["group"]),
    )
