"""Ask the figures what they say of the articles' conclusions.

Each conclusion has a file `<article>-<NN>.sql` with one query over the finished tables, the same
that a reader runs on the page. It answers rows of `COLUMNS`. A query that cannot be one of these is
an error of the project, never a finding: it ends the build with one line that names its file.
"""

import duckdb

from console import ExitCode, StudyError

COLUMNS = ("basis", "host", "release", "outcome", "detail")
BASES = ("published", "measured")
OUTCOMES = ("supported", "contradicted", "undecided", "not measured yet")


def fill(connection: duckdb.DuckDBPyConnection) -> None:
    """Fill the table `conclusion_evidence`."""
    queries = connection.execute(
        "select article, number, sql from raw_conclusion_query order by all"
    ).fetchall()
    known = set(connection.execute("select article, number from conclusion").fetchall())
    for article, number, sql in queries:
        file = f"conclusions/{article}-{number}.sql"
        if not number.isdecimal() or (article, int(number)) not in known:
            raise _broken(file, "belongs to no conclusion: name it <article>-<NN>.sql")
        rows = [(article, int(number), *row) for row in _answer(connection, file, sql)]
        connection.executemany("insert into conclusion_evidence values (?, ?, ?, ?, ?, ?, ?)", rows)


def _answer(connection: duckdb.DuckDBPyConnection, file: str, sql: str) -> list[tuple]:
    try:
        statements = connection.extract_statements(sql)
        if [one.type for one in statements] != [duckdb.StatementType.SELECT]:
            raise _broken(file, "is not one query")
        found = connection.execute(statements[0])
        names = tuple(column[0] for column in found.description)
        rows = found.fetchall()
    except duckdb.Error as error:
        raise _broken(file, f"failed ({str(error).partition(chr(10))[0]})") from error
    if names != COLUMNS:
        raise _broken(file, f"answers {', '.join(names)}, not {', '.join(COLUMNS)}")
    if not rows:
        raise _broken(file, "answers no row: what is not measured has to be said")
    for basis, _, _, outcome, detail in rows:
        if basis not in BASES:
            raise _broken(file, f"has basis {basis!r}, none of {', '.join(BASES)}")
        if outcome not in OUTCOMES:
            raise _broken(file, f"has outcome {outcome!r}, none of {', '.join(OUTCOMES)}")
        if not detail:
            raise _broken(file, "has a row without detail")
    return rows


def _broken(file: str, what: str) -> StudyError:
    return StudyError(ExitCode.UNEXPECTED, f"workflow/sql/{file} {what}; the old database stays")
