"""Links from a table or a chart to its rows in the page `query`."""

import base64
import re

import pandas as pd

_root = ""


def below(folder: str) -> None:
    """Say once, at the head of a page in a folder of `reports`, where it is."""
    # a page is a process of its own, and a cell cannot know where its page is
    global _root
    _root = "../" * len([part for part in folder.split("/") if part])


def to(page: str) -> str:
    """The address of a page or file of the site, given from its root: `query.html`."""
    return _root + page


def rows(source: pd.DataFrame | str) -> str:
    """The address of the page `query` with the SQL behind some rows in it, ready to run.

    `source` is the SQL itself, or a frame that `lib.database.query` made from it.

    After `#`, so that no server sees it and any length will do. As base64url, because Quarto puts
    every relative address through `decodeURI`, and what that gives back need not be an address:
    `%0A` becomes the end of a line, which browsers leave out.
    """
    sql = source if isinstance(source, str) else source.attrs["sql"]
    packed = base64.urlsafe_b64encode(_trimmed(sql).encode()).decode().rstrip("=")
    return f"{to('query.html')}#s={packed}"


def _trimmed(sql: str) -> str:
    """Without the indentation that it had in Python."""
    lines = [line.rstrip() for line in sql.strip("\n").splitlines()]
    indents = [re.match(r" *", line)[0] for line in lines if line]
    depth = min(map(len, indents), default=0)
    return "\n".join(line[depth:] for line in lines).strip()
