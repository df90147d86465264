"""Ask the figures what they say of the articles' conclusions.

Each conclusion that figures can decide has a file `<article>-<NN>.sql` with one query over the
finished tables. It answers rows of `COLUMNS`; where it has none for a basis, the conclusion's own
words stand for them (`published_gap`, `measured_gap`). A query that cannot be one of these is an
error of the project, never a finding: it ends the build with one line that names its file.
"""

import duckdb

from console import ExitCode, StudyError
from database import rows

COLUMNS = ("basis", "host", "release", "outcome", "detail")
BASES = ("published", "measured")
OUTCOMES = ("supported", "contradicted", "undecided", "not measured yet")


def fill(connection: duckdb.DuckDBPyConnection) -> None:
    """Fill the table `conclusion_evidence`."""
    queries = connection.execute(
        """
        select file.article, file.number, file.sql, conclusion.sql
        from raw_conclusion_query as file
        left join conclusion
            on conclusion.article = file.article
            and conclusion.number = try_cast(file.number as integer)
        order by all
        """
    ).fetchall()
    evidence: list[tuple] = []
    for article, number, of_file, complete in queries:
        file = f"conclusions/{article}-{number}.sql"
        if complete is None:
            raise _broken(file, "belongs to no conclusion: name it <article>-<NN>.sql")
        answers = _answer(connection, file, of_file, complete)
        evidence += [(article, int(number), *answer) for answer in answers]
    rows.insert(connection, "conclusion_evidence", evidence)
    connection.execute(
        """
        insert into conclusion_evidence
        select article, number, 'published', null, null, 'undecided', published_gap
        from conclusion where sql is null
        """
    )


def _answer(
    connection: duckdb.DuckDBPyConnection, file: str, of_file: str, complete: str
) -> list[tuple]:
    try:
        statements = connection.extract_statements(of_file)
        if [one.type for one in statements] != [duckdb.StatementType.SELECT]:
            raise _broken(file, "is not one query")
        names = tuple(connection.sql(of_file).columns)
        if names != COLUMNS:
            raise _broken(file, f"answers {', '.join(names)}, not {', '.join(COLUMNS)}")
        answers = connection.execute(complete).fetchall()
    except duckdb.Error as error:
        raise _broken(file, f"failed ({str(error).partition(chr(10))[0]})") from error
    for basis, _, _, outcome, detail in answers:
        if basis not in BASES:
            raise _broken(file, f"has basis {basis!r}, none of {', '.join(BASES)}")
        if outcome not in OUTCOMES:
            raise _broken(file, f"has outcome {outcome!r}, none of {', '.join(OUTCOMES)}")
        if not detail:
            raise _broken(file, "has a row without detail")
    return answers


def _broken(file: str, what: str) -> StudyError:
    return StudyError(ExitCode.UNEXPECTED, f"workflow/sql/{file} {what}; the old database stays")
