"""The same database gives the same pages, with either renderer, every time."""

import posixpath
import re
import shutil
from pathlib import Path

import duckdb
import pytest
from rendered import Page, Tables, by_browser, charts, data_pages, dead_links, without_scripts

from publish import plain, project, quarto
from publish.announce import announce


def turned(database: Path, into: Path) -> Path:
    """The same database, with the rows of every table the other way round."""
    shutil.copy(database, into)
    with duckdb.connect(str(into)) as connection:
        names = connection.execute("select table_name from duckdb_tables()").fetchall()
        for (name,) in names:
            connection.execute(f'create temp table kept as from "{name}" order by rowid desc')
            connection.execute(f'delete from "{name}"')
            connection.execute(f'insert into "{name}" from kept')
            connection.execute("drop table kept")
    return into


@pytest.mark.slow
def test_the_same_rows_in_another_order_give_the_same_pages(site, copied_reports, tmp_path):
    first = site
    reports = copied_reports(turned(first.database, tmp_path / first.database.name))
    loaded = project.load(reports)
    loaded.settings["project"]["render"] = [*map(str, data_pages(loaded.pages()))]
    plain.render(loaded)
    of_the_file = {Path("data.html"), Path("query.html")}  # its size and its hash
    for page in set(data_pages(first.pages)) - of_the_file:
        once, twice = ((site / page).read_bytes() for site in (first.folder, reports / "_site"))
        assert once == twice, page


@pytest.mark.skipif(quarto.program() is None, reason="no quarto on PATH: install conda, run again")
def test_both_renderers_show_the_same_tables_charts_and_links(site, copied_reports):
    first = site
    reports = copied_reports(first.database)
    loaded = project.load(reports)
    with plain.new_site(loaded.site) as rendered:
        quarto.render(quarto.program(), reports, rendered)
        announce(loaded, rendered)
    assert all(shown(first.text("hosts.html")))
    assert any(
        "query.html#s=" in one for one in linked(Path("hosts.html"), first.text("hosts.html"))
    )
    for page in first.pages:
        ours, theirs = (
            (site / page).read_text(encoding="utf-8") for site in (first.folder, reports / "_site")
        )
        assert shown(ours) == shown(theirs), page
        assert linked(page, ours) == linked(page, theirs), page
    assert dead_links(reports / "_site", first.pages) == []


def shown(text: str) -> tuple[dict, dict]:
    """The data of a page: its tables as text, and the specifications of its charts."""
    tables = Tables(without_scripts(text)).tables
    # tables of Markdown have no name, and the two renderers may number them differently
    named = {name: rows for name, rows in tables.items() if name}
    return named, charts(text)


def linked(page: Path, text: str) -> set[str]:
    """Where the text of a page leads, as a browser reads it, from the root of the site.

    Quarto writes links between pages by way of the root: `./data.html`, `../articles/vm-2026.html`. Those of
    the 404 page begin with the root, as servers show it at any address: `/./data.html`.
    """
    main = text.partition("<main")[2].partition("</main>")[0]
    found = {by_browser(address) for address in Page(main).links}
    return {
        address if re.match(r"\w+:", address) else _from_root(page, address)
        for address in found
        if not address.startswith("#")  # lines of code have such, which need not be the same
    }


def _from_root(page: Path, address: str) -> str:
    file, mark, anchor = address.partition("#")
    whole = posixpath.normpath(posixpath.join(page.parent.as_posix(), file))
    return whole.removeprefix("/") + mark + anchor
