"""Links to other pages, and from tables and charts to their rows in the page `query`."""

import base64
import textwrap

import pandas as pd

_root = ""


def below(folder: str) -> None:
    """Set the folder of the current page; called once, at its start."""
    # each page is a separate process; a cell cannot find out the folder of its page
    global _root
    _root = "../" * len([part for part in folder.split("/") if part])


def to(page: str) -> str:
    """The relative address of a page or file of the site, such as `query.html`."""
    return _root + page


def rows(source: pd.DataFrame | str) -> str:
    """The address of the page `query` with the SQL behind some rows in it, ready to run.

    `source` is the SQL itself, or a frame that `lib.database.query` made from it.

    After `#`, so that no server receives it and its length is not limited. As base64url, because
    Quarto applies `decodeURI` to relative addresses, which breaks them: `%0A` becomes a line
    feed, which browsers drop.
    """
    sql = source if isinstance(source, str) else source.attrs["sql"]
    # without its indentation in Python
    sql = textwrap.dedent(sql.strip("\n")).strip()
    packed = base64.urlsafe_b64encode(sql.encode()).decode().rstrip("=")
    return f"{to('query.html')}#s={packed}"
