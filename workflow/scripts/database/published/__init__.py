"""Reads the articles' figures from CSV and checks every word: a typo could look like a finding.

The files are written by hand. A row is refused, with file and line, if a column or word is
unknown, if a number is invalid or differs from the number as printed, or if the printed number is
not in its quote.
"""

from pathlib import Path

from console import ExitCode, StudyError
from database.published import csv_file
from database.published.checks import Check, Row, one_of
from database.published.files import FILES, File

__all__ = ["FILES", "Figures", "File", "Row", "read"]

# rows by file name; checked texts
Figures = dict[str, list[Row]]


def read(folder: Path) -> Figures:
    """The published figures, or a `StudyError` with the line to fix."""
    figures: Figures = {}
    for file in FILES:
        columns = dict(file.columns)
        of_articles = file.name != "articles" and "article" in columns
        if of_articles:
            sources = {row["article"]: row["source"] for row in figures["articles"]}
            columns["article"] = one_of(set(sources), "articles.csv")
            del columns["source"]
        if "table_name" in columns and file.name != "tables":
            columns["table_name"] = _table_of(figures["tables"])
        rows = csv_file.read(folder / f"{file.name}.csv", columns, file.key)
        if of_articles:
            rows = [row | {"source": sources[row["article"]]} for row in rows]
        figures[file.name] = rows
    _check_reprints(folder, figures["tables"])
    return figures


def _table_of(tables: list[Row]) -> Check:
    """A check that the text is empty or the name of a table of the row's own article."""
    names = {(row["article"], row["table_name"]) for row in tables}

    def check(text: str, row: Row) -> str | None:
        return None if not text or (row["article"], text) in names else "is not in tables.csv"

    return check


def _check_reprints(folder: Path, tables: list[Row]) -> None:
    """Check that a reprinted table refers to an existing table that is not a reprint itself."""
    originals = {f"{row['article']}/{row['table_name']}" for row in tables if not row["same_as"]}
    for row in tables:
        if row["same_as"] and row["same_as"] not in originals:
            raise StudyError(
                ExitCode.BAD_INPUT,
                f"{folder / 'tables.csv'}, same_as: {row['same_as']!r} is not a table of an "
                "article; correct the file",
            )
