"""The project's own pages, with and without records: offline, whole, and true to the database."""

import re
from html.parser import HTMLParser
from urllib.parse import unquote

import duckdb
import pandas as pd

LARGEST_PAGE = 3_000_000  # bytes
NOT_MEASURED = "not measured"


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


def pages(site) -> dict[str, str]:
    return {str(page): (site.folder / page).read_text(encoding="utf-8") for page in site.pages}


class Tables(HTMLParser):
    """The tables of a page that have a name: rows of cells as text, spanned cells repeated."""

    def __init__(self, text: str):
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.rows: list[list[str]] = []
        self.spanned: dict[int, tuple[int, str]] = {}  # column: rows left, text
        self.cell: list[str] | None = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if tag == "table":
            self.rows, self.spanned = [], {}
            self.tables[found.get("id", "")] = self.rows
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
        if tag in {"td", "th"} and self.cell is not None:
            text, self.cell = " ".join("".join(self.cell).split()), None
            column = len(self.rows[-1])
            self.rows[-1] += [text] * int(self.found.get("colspan", 1))
            self.spanned[column] = (int(self.found.get("rowspan", 1)) - 1, text)
            self._fill()

    def _fill(self):
        row = self.rows[-1]
        while self.spanned.get(len(row), (0, ""))[0]:
            left, text = self.spanned[len(row)]
            self.spanned[len(row)] = (left - 1, text)
            row.append(text)


def tables(site, page: str) -> dict[str, pd.DataFrame]:
    """The named tables of a page; every cell as the text it shows."""
    text = (site.folder / page).read_text(encoding="utf-8")
    text = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    found = Tables(text).tables
    return {
        name.removeprefix("table-"): pd.DataFrame(rows[1:], columns=rows[0])
        for name, rows in found.items()
        if name
    }


def rows(site, sql: str) -> list[tuple]:
    with duckdb.connect(str(site.database), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def test_no_cell_shows_what_makes_quarto_load_scripts(notebooks):
    for page, cells in notebooks.items():
        for cell in cells:
            for output in cell.get("outputs", []):
                kinds = set(output.get("data", {}))
                assert not kinds & {"text/html", "application/javascript"}, (page, cell.source)
                assert output.output_type != "error", (page, cell.source)
                assert output.get("name") != "stderr", (page, output.get("text"))


def test_charts_carry_their_specification_for_jupyter(notebooks):
    kinds = [
        kind
        for cell in notebooks["notebook.qmd"]
        for output in cell.get("outputs", [])
        for kind in output.get("data", {})
    ]
    assert "application/vnd.vegalite.v6+json" in kinds


def test_pages_load_nothing_from_another_host(site):
    for name, text in pages(site).items():
        for address in Page(text).loads:
            assert not re.match(r"([a-z]+:)?//", address), (name, address)
        styles = re.findall(
            r"@import|url\((?!['\"]?data:)", re.sub(r"<script.*?</script>", "", text, flags=re.S)
        )
        assert styles == [], name
    for style in site.folder.rglob("*.css"):
        assert not re.search(r"@import|url\(", style.read_text(encoding="utf-8")), style


def test_links_and_anchors_lead_somewhere(site):
    anchors = {name: set(Page(text).ids) for name, text in pages(site).items()}
    for name, text in pages(site).items():
        here = (site.folder / name).parent
        found = Page(text)
        assert len(found.ids) == len(set(found.ids)), sorted(found.ids)
        for address in [*found.links, *found.loads]:
            if re.match(r"[a-z]+:", address):
                assert re.match(r"(https://|data:)", address), (name, address)
                continue
            file, _, anchor = address.partition("#")
            target = (here / unquote(file)).resolve() if file else site.folder / name
            assert target.is_file(), (name, address)
            if anchor and target.suffix == ".html":
                known = anchors[target.relative_to(site.folder.resolve()).as_posix()]
                assert unquote(anchor) in known, (name, address)


def test_pages_are_light_enough(site):
    for name in site.pages:
        assert (site.folder / name).stat().st_size <= LARGEST_PAGE


def test_every_page_says_who_rendered_it_and_has_no_left_over_markup(site):
    for name, text in pages(site).items():
        visible = re.sub(r"<(script|code|pre).*?</\1>", "", text, flags=re.DOTALL)
        assert "plain renderer" in visible, name
        for mark in (":::", "```", "{python}", ".qmd", "{=html}", "(shown on the page)"):
            assert mark not in visible, (name, mark)
        assert not re.search(r">\s*(nan|None|NaT|<NA>)\s*<", visible), name


def test_the_article_page_has_every_published_row_in_its_order(site):
    article = "articles/encryption-2026.html"
    for table, own in (("figures", True), ("other-figures", False)):
        shown = tables(site, article)[table]
        shown = shown[shown["Published write"].str.match(r"(about )?[\d.]+$")]
        stated = rows(
            site,
            f"""
            select write_gbps, read_gbps from published_speed
            where article = 'encryption-2026' and (protocol <> 'unstated') = {own}
            order by table_order
            """,
        )
        measured = len(shown) // len(stated)  # rows of the table for each of the article
        number = shown["Published write"].str.removeprefix("about ").astype(float)
        if measured * len(stated) == len(shown):
            expected = [round(write, 2) for write, _ in stated for _ in range(measured)]
            assert list(number) == expected
        assert list(dict.fromkeys(number)) == list(
            dict.fromkeys(round(write, 2) for write, _ in stated)
        )


def test_the_article_page_gives_ratio_and_verdict_of_what_was_measured(site):
    shown = tables(site, "articles/encryption-2026.html")["figures"]
    compared = rows(
        site,
        """
        select measured_gbps, ratio, outcome, measured_release from article_table
        where article = 'encryption-2026' and protocol <> 'unstated' and op = 'write'
            and outcome in ('reproduced', 'faster', 'slower')
        order by table_order, measured_host, measured_release
        """,
    )
    if not compared:
        assert "Measured write" not in shown.columns
        assert set(shown["Verdict"].dropna()) >= {"not measured yet"}
        return
    lines = shown[shown["Measured write"].str.contains("\u00d7")]
    assert len(lines) == len(compared)
    for line, (speed, ratio, outcome, release) in zip(
        lines.to_dict("records"), compared, strict=True
    ):
        assert line["Measured write"].startswith(f"{speed:.2f} ")
        assert line["Measured write"].endswith(f"{ratio:.2f}\u00d7")
        assert outcome in line["Verdict"]
        assert release in line["Measured on"]


def test_sizes_stand_on_the_article_page(site):
    shown = tables(site, "articles/encryption-2026.html")["sizes"]
    stated = rows(
        site,
        """
        select as_printed, unit from published_size
        where article = 'encryption-2026' and quantity = 'on-disk' order by table_order
        """,
    )
    published = shown["On disk, published"].tolist()
    assert [text for i, text in enumerate(published) if i == 0 or text != published[i - 1]] == [
        f"{number} {unit}" for number, unit in stated
    ]


def test_the_doubts_about_published_figures_are_shown(site):
    shown = set(tables(site, "articles/encryption-2026.html")["doubts"]["Doubt or deduction"])
    notes = rows(
        site,
        """
        select note from published_speed where article = 'encryption-2026' and note is not null
        union select note from published_size where article = 'encryption-2026' and note is not null
        """,
    )
    assert shown == {note for (note,) in notes}


def test_the_page_of_hosts_has_every_cell_with_its_status_speed_and_reason(site):
    cells = rows(
        site,
        "select status, reason, theil_sen_gbps from measured_speed where op = 'write'",
    )
    named = tables(site, "hosts.html")
    if not cells:
        assert "cells" not in named
        assert "Nothing measured yet" in (site.folder / "hosts.html").read_text(encoding="utf-8")
        return
    shown = named["cells"]
    shown = shown[shown["Status"] != shown["Cell"]]  # without the lines that name a machine
    expected = sorted(
        (status, reason or "", NOT_MEASURED if write is None else f"{write:.2f}")
        for status, reason, write in cells
    )
    found = sorted(
        (
            status.split(" ")[0],
            status.partition(" ")[2].strip(),
            NOT_MEASURED if write.startswith(NOT_MEASURED) else write.split(" ")[0],
        )
        for status, write in zip(shown["Status"], shown["Write (GB/s)"], strict=True)
    )
    assert found == expected


def test_refused_records_are_named(site):
    refused = rows(site, "select path, reason from refused_record")
    shown = tables(site, "hosts.html").get("refused")
    assert refused == (
        [] if shown is None else [tuple(row) for row in shown.itertuples(index=False)]
    )


def test_smoke_scale_and_made_up_data_are_announced_on_every_page(site):
    real, smoke, made_up = rows(
        site,
        """
        select count(*), count(*) filter (where scale = 'smoke'),
            count(*) filter (where model = 'synthetic')
        from cell left join host using (host, release)
        """,
    )[0]
    for name, text in pages(site).items():
        assert ('class="watermark"' in text) == bool(made_up), name
        assert ("Smoke scale: not comparable" in text) == bool(smoke), name
    assert real or not smoke


def test_the_start_page_answers_first(site):
    text = (site.folder / "index.html").read_text(encoding="utf-8")
    main = re.sub(r"<[^>]+>", " ", text.split("<main")[1])
    best = rows(
        site,
        """
        select write_gbps from published_speed
        where article = 'encryption-2026' and format = 'UDSB' and encryption = 'AES-256'
        """,
    )[0][0]
    assert (
        main.index("Sparse bundle")
        < main.index(f"{best:.2f} GB/s")
        < main.index("What encryption costs")
    )
