"""The article's method as the protocol that we run, and the commands that run it."""

import pandas as pd

from lib import protocols, show, tables, words
from lib.article import deviations
from lib.database import query


def names(article: str) -> list[str]:
    """The protocols behind the article's own figures, the most used first."""
    rows = query(
        """
        select protocol
        from published_speed
        where article = $article and protocol <> 'unstated'
        group by protocol
        order by count(*) desc, protocol
        """,
        article=article,
    )
    return rows["protocol"].tolist()


def steps(article: str) -> show.Shown:
    """A table for each of its protocols: the phases, and their steps in words."""
    return show.together(
        *(phases(name, f"protocol-{name}", command(article)) for name in names(article)),
        *map(deviations.shown, names(article)),
    )


def phases(name: str, identity: str, command: str | None = None) -> show.Shown:
    """The phases of a protocol, and their steps in words."""
    return tables.table(
        protocols.steps(name),
        [tables.text("Phase", "phase"), tables.text("Steps", "steps")],
        f"The protocol {name}, as it is run",
        name=identity,
        command=command,
    )


def command(article: str) -> str | None:
    """The command that measures most of the article's rows."""
    rows = "select table_order, command from comparable_article where article = $article order by 1"
    return of_rows(query(rows, article=article))


def of_rows(rows: pd.DataFrame) -> str | None:
    """The command that measures most of these rows; none where no command does."""
    known = rows.drop_duplicates("table_order")["command"].dropna()
    return None if known.empty else str(known.value_counts(sort=False).idxmax())


def missing(article: str) -> show.Shown | None:
    """How to measure the rows that have not been measured yet."""
    rows = query(
        """
        select command, count(distinct table_order) as rows
        from comparable_article
        where article = $article and verdict = 'not measured yet' and command is not null
        group by command
        order by rows desc, length(command), command
        """,
        article=article,
    )
    if rows.empty:
        return None
    lines = [
        f"- `{row.command}` measures {words.count(row.rows, 'row')} of the tables on this page"
        for row in rows.itertuples()
    ]
    return show.text(
        "To measure the missing rows, run this on a Mac of the article\u2019s model; to measure "
        "the disk of a virtual machine, run it inside the guest:\n\n" + "\n".join(lines)
    )
