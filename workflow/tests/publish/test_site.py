"""The project's own pages, with and without records: offline, complete, and in agreement with the database."""

import csv
import json
import re
from collections import Counter
from html import unescape
from itertools import cycle
from math import gcd
from pathlib import Path

import duckdb
import pytest
from rendered import Page, charts, dead_links, joined, rows, shapes, tables

from lib import theme

PROJECT = Path(__file__).parents[3]
MANUAL = PROJECT / "reports" / "manual"
SPEEDS = PROJECT / "data" / "published" / "speeds.csv"
LARGEST_PAGE = 150_000  # bytes
# of the Macs of each site, all of them synthetic
MEASURED = {"made_up": "2 (macOS 15.6 to 27.0)"}


def pages(site) -> dict[str, str]:
    return {str(page): site.text(page) for page in site.pages}


def test_no_cell_prints_anything(either_site):
    """Quarto would show it, warnings too; what else a cell must not show ends the render (test_plain.py)."""
    for page, parts in either_site.parts.items():
        assert [one.printed for one in parts if one.printed] == [], page


def test_without_scripts_a_chart_says_where_its_figures_are(site):
    for name, text in pages(site).items():
        up = "../" * (len(Path(name).parts) - 1)
        said = re.findall(r"<noscript><p>This chart is drawn(.*?)</noscript>", text)
        assert len(said) == text.count('<figure class="charts ') - (name == "query.html")
        assert all(f'<a href="{up}data.html">Data</a>' in one for one in said), name


def test_pages_are_light_and_load_nothing_from_another_host(site):
    for name, text in pages(site).items():
        assert len(text.encode()) <= LARGEST_PAGE, name
        for address in Page(text).loads:
            assert not re.match(r"([a-z]+:)?//", address), (name, address)
        bare = re.sub(r"<script.*?</script>", "", text, flags=re.S)
        assert re.findall(r"@import|url\((?!['\"]?data:)", bare) == [], name
    for style in site.folder.rglob("*.css"):
        assert not re.search(r"@import|url\(", style.read_text(encoding="utf-8")), style


def test_links_and_anchors_lead_somewhere(either_site):
    # the manual is in one of the sites: the others' links to it are compared with its sources
    manual = {f"{page.stem}.html" for page in MANUAL.glob("*.qmd")}
    dead = dead_links(either_site.folder, either_site.pages)
    assert [one for one in dead if re.sub(r".* (../)*manual/|#.*", "", one) not in manual] == []
    for name, text in pages(either_site).items():
        found = Page(text)
        assert len(found.ids) == len(set(found.ids)), sorted(found.ids)
        for address in [*found.links, *found.loads]:
            scheme = re.match(r"[a-z]+:", address)
            assert not scheme or re.match(r"(https://|data:)", address), (name, address)


def test_a_chart_is_named_by_its_title_and_its_marks_are_described_in_words(site):
    for name, text in pages(site).items():
        for chart, spec in charts(text).items() if name != "query.html" else ():
            [label] = re.findall(rf'<div class="chart" id="{chart}"[^>]*aria-label="([^"]*)"', text)
            assert unescape(label) == spec["title"]
            # of single files only the medians; the notebook's chart is a reader's own
            described = '"description": {"value": {"expr": ' in json.dumps(spec)
            assert described or name in ("files.html", "notebook.html"), chart


def test_no_chart_tells_its_series_by_colour_alone(site):
    """Each has its own pair of colour and shape: both repeat, but not together."""
    assert gcd(len(theme.SERIES), len(theme.SHAPES)) == 1
    for name, text in pages(site).items():
        for chart, spec in (
            charts(text).items() if name not in ("query.html", "notebook.html") else ()
        ):
            marks = [layer["encoding"] for layer in spec.get("layer", [spec])]
            series = {mark["color"]["field"] for mark in marks if "color" in mark}
            shaped = [mark for mark in marks if "shape" in mark]
            assert series == {mark["shape"]["field"] for mark in shaped}, (name, chart)
            for mark in shaped:
                colour, shape = mark["color"]["scale"], mark["shape"]["scale"]
                assert colour["domain"] == shape["domain"]
                looks = [
                    *zip(
                        colour["domain"],
                        cycle(colour["range"]),
                        cycle(shape["range"]),
                        strict=False,
                    )
                ]
                assert len({look[1:] for look in looks}) == len(looks), (name, chart)


def test_no_two_columns_of_a_table_have_one_heading(site):
    """A screen reader says it before each cell, and a phone shows it."""
    for name in pages(site):
        for table, shown in tables(site, name).items():
            assert shown.columns.is_unique, (name, table, list(shown.columns))


def test_no_two_links_to_rows_of_a_page_have_one_name(site):
    """A list of a page's links says of which table or chart each is, beginning with what is seen."""
    for name, text in pages(site).items():
        links = re.findall(r'aria-label="([^"]+)">(its rows, in SQL|run this query)</a>', text)
        assert text.count(">its rows, in SQL</a>") + text.count(">run this query</a>") == len(links)
        assert [label for label, seen in links if not label.startswith(f"{seen}: ")] == [], name
        repeated = Counter(label for label, seen in links if seen == "its rows, in SQL")
        assert [label for label, times in repeated.items() if times > 1] == [], name


def test_every_link_to_rows_carries_a_query_that_runs(either_site):
    """Whoever doubts a figure gets its rows with one click."""
    found = shapes(either_site)
    assert len(found) > 20
    with duckdb.connect(str(either_site.database), read_only=True) as connection:
        for sql, name in found.items():
            try:
                connection.execute(sql).fetchone()
            except duckdb.Error as error:
                raise AssertionError(f"{name}: {error}: {sql}") from None


def test_every_page_says_who_rendered_it_and_has_no_left_over_markup(either_site):
    for name, text in pages(either_site).items():
        visible = re.sub(r"<(script|code|pre).*?</\1>", "", text, flags=re.DOTALL)
        assert "plain renderer" in visible, name
        for mark in (":::", "```", "{python}", ".qmd", "{=html}", "(shown on the page)"):
            assert mark not in visible, (name, mark)
        assert not re.search(r">\s*(nan|None|NaT|<NA>)\s*<", visible), name


def test_the_page_of_hosts_counts_the_runs_measured_last_and_names_what_is_missing_and_why(site):
    cells = rows(
        site,
        """
        select host, status, coalesce(reason, '')
        from cell
        where release = (
            select release from cell as last where last.host = cell.host
            order by started_utc desc limit 1
        )
        """,
    )
    text = site.text("hosts.html")
    for host in {host for host, *_ in cells}:
        section = text.split(f'id="host-{host}"')[1].split("<h2 ")[0]
        [told] = re.findall(r"Runs: (.*?)\.", section)
        went = Counter(status for one, status, _ in cells if one == host)
        assert dict(reversed(part.split()) for part in re.split(", | and ", told)) == {
            status: str(count) for status, count in went.items()
        }
        # long tables are folded
        count = went.total() - went["measured"]
        assert f"<summary>Not measured: {count}</summary>" in section or not count
    missing = sorted(f"{status} {reason}" for _, status, reason in cells if status != "measured")
    assert sorted(joined(site, "hosts.html", "missing")["Status"]) == missing


@pytest.mark.parametrize(
    ("table", "columns"),
    [("refused", "path, reason"), ("withdrawn", "record, '20 November 2026', reason")],
)
def test_refused_and_withdrawn_records_are_named_with_the_reason(site, table, columns):
    kept = rows(site, f"select {columns} from {table}_record")
    shown = tables(site, "hosts.html")[table]
    assert kept == list(shown.itertuples(index=False, name=None)) != []


def test_the_page_of_data_names_the_state_to_cite_and_promises_no_release_of_data(site):
    described = site.folder.parent / "downloads" / "datapackage.json"
    state = json.loads(described.read_text(encoding="utf-8"))
    text = site.text("data.html")
    assert f"Its data were made on {state['created'][:10]} from" in text
    assert text.count(state["records"]["sha256"]) == 1
    short = f"checksum of the records {state['records']['sha256'][:12]}"
    assert f"{{Data of {state['created'][:10]}, {short}}}" in text
    assert "release of the data" not in text


def test_what_is_measured_and_synthetic_data_are_announced_on_every_page(either_site):
    [marks] = rows(
        either_site,
        """
        select count(*) filter (where chip like 'made-up%' or model like 'synthetic%') as synthetic,
            count(*) filter (where cell.stand_in)
        from cell left join host using (host, release)
        """,
    )
    marked = [mark for mark, cells in zip(("synthetic", "stand-in"), marks, strict=True) if cells]
    macs = MEASURED.get(either_site.name)
    with SPEEDS.open(encoding="utf-8", newline="") as speeds:
        own = [row["host"] for row in csv.DictReader(speeds) if row["second_hand"] == "false"]
    published = len({*own} - {"unstated"})
    for name, text in pages(either_site).items():
        assert text.count('<p class="status">') == 1, name
        assert re.search(rf"Published: {published} Macs, macOS 12\.4 to 2[\w. ()]+\.<", text), name
        assert "Measured on Macs: none" in text, name
        assert (f"; synthetic: {macs}." in text) == bool(macs), name
        assert ('class="watermark"' in text) == bool(marked), name
        assert f"{', '.join(marked)} data" in text or not marked, name


def test_where_no_size_was_measured_there_is_no_column_for_one(published_site):
    shown = tables(published_site, "articles/encryption-2026.html")
    sizes = [table for name, table in shown.items() if name.startswith("sizes-")]
    assert sizes
    assert {tuple(table.columns) for table in sizes} == {("Image", "What", "Published")}


def test_the_page_of_hosts_compares_cells_with_the_limit_measured_beside_them(site):
    text = site.words("hosts.html")
    for passes, near, most in rows(
        site,
        """
        select count(*), count(*) filter (share >= 0.8), max(share)
        from (
            select host, greatest(total_gbps, theil_sen_gbps) / if(op = 'write', ceiling_write_gbps, ceiling_read_gbps) as share
            from measured_speed inner join cell using (cell, host)
        )
        where share is not null group by host
        """,
    ):
        assert f" {near} of {passes} pass" in text
        assert f"the nearest reached {most:.0%}".replace("%", " %") in text


def test_without_records_pages_claim_nothing_and_have_no_table_of_any(published_site):
    site = published_site
    hosts = site.words("hosts.html")
    assert "Nothing measured yet" in hosts
    assert "every record found was complete" not in hosts
    assert joined(site, "hosts.html", "missing") is None
    assert joined(site, "space.html", "states") is None
    assert joined(site, "space.html", "rounds") is None
    assert "No such run is in the database" in site.words("this-machine.html")
    assert "bash workflow/run.sh" in site.text("files.html")
    assert "files-of-cell" not in site.text("files.html")


def test_the_percentages_of_the_article_page_follow_from_its_figures(site):
    """Each headline percentage, computed anew from the published rows."""
    text = site.text("articles/encryption-2026.html")
    main = site.words("articles/encryption-2026.html")
    titles = " ".join(str(spec["title"]).replace("\u00a0", " ") for spec in charts(text).values())
    figures = rows(
        site,
        """
        select format, encryption, phase, write_gbps, read_gbps from published_speed
        where article = 'encryption-2026' and macos = '26.3.1 (a)' and host = 'mac-mini-m4-pro'
            and protocol = 'usage-phases'
        """,
    )
    speed = {key[:3]: dict(zip(("write", "read"), key[3:], strict=True)) for key in figures}
    for op, verb in (("write", "Writing"), ("read", "Reading")):
        loss = {
            form: 1 - speed[form, "AES-256", "fresh"][op] / speed[form, "none", "fresh"][op]
            for form in ("UDSB", "UDRW", "ASIF")
        }
        low, high = (f"{100 * share:.0f} %" for share in (min(loss.values()), max(loss.values())))
        assert f"{verb}: {low} to {high} slower encrypted" in titles
        if op == "write":
            for form, name in (("ASIF", "ASIF"), ("UDRW", r"RAW \(UDRW\)")):
                less = f"{100 * loss[form]:.0f} % less"
                assert re.search(rf"{name} writes [\d.]+ GB/s instead of [\d.]+ \({less}\)", main)
