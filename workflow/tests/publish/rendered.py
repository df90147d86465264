"""What tests read from rendered pages and from the database behind them."""

import base64
import gzip
import json
import os
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import duckdb
import pandas as pd

QUERY = "s="  # how the part of an address begins that carries a query


def without_scripts(page: str) -> str:
    """A page's HTML without its scripts and styles."""
    return re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)


def words(markup: str) -> str:
    """What a reader sees of some HTML, in one line."""
    bare = re.sub(r"<[^>]+>", " ", without_scripts(markup))
    return " ".join(unescape(bare).split())


def text(shown) -> str:
    """The Markdown that a function of the pages gives, with plain spaces."""
    return shown.bundle["text/markdown"].replace("\u00a0", " ") if shown else ""


class Tables(HTMLParser):
    """The tables of a page that have a name: rows of cells as text, spanned cells repeated."""

    def __init__(self, text: str):
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.rows: list[list[str]] = []
        self.spanned: dict[int, tuple[int, str]] = {}  # column: rows left, cell
        self.cell: list[str] | None = None
        self.heads: dict[str, int] = {}  # rows of headings, by table
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if tag == "table":
            self.rows, self.spanned = [], {}
            self.name = found.get("id", "")
            self.tables[self.name] = self.rows
        elif tag == "tr":
            self.rows.append([])
            self._fill()
        elif tag in {"td", "th"}:
            self.cell, self.found = [], found
        elif tag in {"small", "br"} and self.cell is not None:
            self.cell.append(" ")

    def handle_data(self, data):
        if self.cell is not None:
            self.cell.append(data)

    def handle_endtag(self, tag):
        if tag == "thead":
            self.heads[self.name] = len(self.rows)
        if tag in {"td", "th"} and self.cell is not None:
            cell = " ".join("".join(self.cell).split())
            self.cell = None
            column = len(self.rows[-1])
            self.rows[-1] += [cell] * int(self.found.get("colspan", 1))
            self.spanned[column] = (int(self.found.get("rowspan", 1)) - 1, cell)
            self._fill()

    def _fill(self):
        row = self.rows[-1]
        while self.spanned.get(len(row), (0, ""))[0]:
            left, cell = self.spanned[len(row)]
            self.spanned[len(row)] = (left - 1, cell)
            row.append(cell)


def tables(site, page: str) -> dict[str, pd.DataFrame]:
    """The named tables of a page; every cell as the text it shows."""
    parsed = Tables(without_scripts(site.text(page)))
    return {
        name.removeprefix("table-"): _frame(rows, parsed.heads.get(name, 1))
        for name, rows in parsed.tables.items()
        if name
    }


def joined(site, page: str, kind: str) -> pd.DataFrame | None:
    """The tables of one kind, of which each host or protocol has one, as one; none when none is there.

    `cells` joins `cells-mac-mini-m4-pro`, `cells-linux-box` and so on.
    """
    named = tables(site, page)
    of_kind = [shown for name, shown in named.items() if f"{name}-".startswith(f"{kind}-")]
    return pd.concat(of_kind, ignore_index=True) if of_kind else None


LINKED = re.compile(r"query\.html#s=([\w-]+)")


def linked(text: str) -> list[str]:
    """The statements of a page's links to its rows."""
    return [statement(packed) for packed in LINKED.findall(text)]


def shapes(site) -> dict[str, str]:
    """The statements of a site's links to rows with a page of each.

    One of those that differ by a name, a number or a comment.
    """
    found = {sql: str(page) for page in site.pages for sql in linked(site.text(page))}
    alike = {re.sub(r"'[^']*'|\b\d+\b|--.*", "", sql): sql for sql in found}
    return {sql: found[sql] for sql in alike.values()}


def statement(packed: str) -> str:
    """The SQL that an address of the page `query` carries behind `#s=`."""
    return base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)).decode()


CARRIED = re.compile(r'<script type="[^"]+"([^>]*)>(.*?)</script>', re.DOTALL)


def carried(figure: str) -> dict:
    """What the charts of a figure are drawn from, as a browser reads it."""
    attributes, text = CARRIED.search(figure).groups()
    packed = "data-packed" in attributes  # Quarto writes it with an empty value
    return json.loads(gzip.decompress(base64.b64decode(text)) if packed else text)


def charts(text: str) -> dict[str, dict]:
    """The specifications of all charts of a page, or of a part of one, with their rows."""
    found = {}
    for figure in re.findall(r'<figure class="charts .*?</figure>', text, re.DOTALL):
        if "<script" not in figure:
            continue  # that of the page query, which is drawn when a query has run
        held = carried(figure)
        names = re.findall(r'<div class="chart" id="([^"]+)"', figure)
        for name, spec in zip(names, held["specs"], strict=True):
            found[name] = spec | {
                "datasets": {one: held["datasets"][one] for one in spec["datasets"]}
            }
    return found


def points(spec: dict) -> list[dict]:
    """All rows of a chart."""
    return [row for rows in spec["datasets"].values() for row in rows]


def by_browser(address: str) -> str:
    """What a browser makes of an address that stands in a page: no ends of lines, no tabs."""
    return re.sub(r"[\t\n\r]", "", address).strip()


def _frame(rows: list[list[str]], heads: int) -> pd.DataFrame:
    """The rows below the headings; two headings over one column make one name of both."""
    names = [" ".join(dict.fromkeys(column)) for column in zip(*rows[:heads], strict=True)]
    # notes below a table span all of it
    return pd.DataFrame(rows[heads:], columns=names)


def data_pages(pages: list[Path]) -> list[Path]:
    """Those that show what was measured or published: all but the manual's."""
    return [page for page in pages if page.parts[0] != "manual"]


def rows(site, sql: str) -> list[tuple]:
    with duckdb.connect(str(site.database), read_only=True) as connection:
        return connection.execute(sql).fetchall()


class Page(HTMLParser):
    """What a page refers to, and the anchors it offers."""

    def __init__(self, text: str):
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag in {"link", "script", "img", "iframe", "source", "video", "object", "embed"}:
            self.loads += [found[name] for name in ("href", "src", "data") if found.get(name)]
        if "id" in found:
            self.ids.append(found["id"])


def dead_links(folder: Path, pages: list[Path]) -> list[str]:
    """Links of a site's pages to files and anchors that are not there; other hosts are not asked."""
    found = {page: Page((folder / page).read_text(encoding="utf-8")) for page in pages}
    dead = []
    for page, parsed in found.items():
        for address in [*parsed.links, *parsed.loads]:
            if re.match(r"[a-z]+:", address):
                continue
            file, _, anchor = address.partition("#")
            file = unquote(file.partition("?")[0])
            # one that begins with `/` is relative to the site
            start = folder if file.startswith("/") else (folder / page).parent
            target = (start / file.lstrip("/") if file else folder / page).resolve()
            target = target / "index.html" if target.is_dir() else target
            known = found.get(Path(os.path.relpath(target, folder.resolve())))
            named = anchor and not anchor.startswith(QUERY)
            if not target.is_file() or (named and known and unquote(anchor) not in known.ids):
                dead.append(f"{page}: {address}")
    return dead
