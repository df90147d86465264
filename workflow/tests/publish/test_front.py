"""The start page's answers, and what stands below every chart and table, in three states of the data."""

import csv
import functools
import http.server
import io
import re
import threading
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import chromium
import duckdb
import pytest
from rendered import linked, rows, tables

NEEDS = 9
PNG = b"\x89PNG\r\n\x1a\n"


def start(site) -> str:
    return (site.folder / "index.html").read_text(encoding="utf-8").split("<main")[1]


def text(site) -> str:
    """The words of the start page."""
    return " ".join(re.sub(r"<[^>]+>", " ", start(site)).split())


@pytest.fixture(scope="module")
def published(rendered_site):
    return rendered_site("published_only")


@pytest.fixture(scope="module")
def many(rendered_site):
    return rendered_site("macs")


def test_the_first_words_are_the_answer_with_its_speed_and_whose_it_is(published):
    write, read = rows(
        published,
        """
        select write_as_printed, read_as_printed from published_speed
        where article = 'encryption-2026' and format = 'UDSB' and encryption = 'AES-256'
        """,
    )[0]
    said = text(published)
    first = (
        f"Encrypted on macOS 26: take a sparse bundle. It writes {write} GB/s and reads {read}, "
        "where ASIF, the next, writes 1.72 "
        "(AES-256; Mac mini M4 Pro, macOS 26.3.1 (a), published March 2026)."
    )
    assert first in said
    assert said.index(first) < said.index("You want")


def test_a_newer_measured_release_takes_the_place_of_the_articles(many):
    low, high, speed, runs = rows(
        many,
        """
        select gbps_low, gbps_high, gbps, runs from repeated_speed
        where host = 'mac-mini-m4-pro' and os_version = '27.0' and format = 'UDSB'
            and encryption = 'AES-256' and op = 'write' and protocol = 'usage-phases'
            and phase = 'fresh' and statistic = 'theil_sen'
        """,
    )[0]
    said = text(many)
    assert (
        f"take a sparse bundle. It writes {speed:.2f} GB/s "
        f"(95 % interval between runs {low:.2f} to {high:.2f})"
    ) in said
    # a run is 10 sets of 16 files
    assert f"Mac mini M4 Pro, macOS 27.0, measured here, {runs} runs of 160 files" in said


def test_each_need_has_a_format_a_page_and_rows_that_run(any_site):
    shown = tables(any_site, "index.html")["answers"]
    assert len(shown) == NEEDS
    assert (shown["Take"] != "").all()
    table = re.search(r'<table[^>]*id="table-answers".*?</table>', start(any_site), re.DOTALL)[0]
    for line in re.findall(r"<tr><td.*?</tr>", table, re.DOTALL):
        links = re.findall(r'href="([^"]+)"', line)
        page, query = links
        assert page.startswith("articles/"), line
        [sql] = linked(query)
        with duckdb.connect(str(any_site.database), read_only=True) as connection:
            assert connection.execute(sql).fetchall(), sql


def test_formats_about_as_fast_stand_together_and_doubts_are_said(published):
    shown = tables(published, "index.html")["answers"].set_index("You want")
    # 9.55 of 10.11 GB/s, and 1.58 of 1.72, are within a tenth
    assert shown.loc["Encrypted, in a single file", "Take"] == "ASIF or RAW"
    fast = shown.loc["Not encrypted, and fast"]
    assert fast["Take"] == "RAW or ASIF"
    assert "Doubt: writes faster than the native SSD (7.66)" in fast["Next, and doubts"]
    assert shown.loc["Little space on disk when new", "Take"] == "RAW: 5.78 MB"


def test_the_smallest_image_is_a_measured_one_where_the_speeds_are(many):
    smallest = rows(
        many,
        """
        select min(allocated_bytes) from container_size inner join cell using (cell)
        where host = 'mac-mini-m4-pro' and os_version = '27.0' and protocol = 'usage-phases'
            and encryption = 'none' and driver = 'apple' and state = 'new'
        """,
    )[0][0]
    shown = tables(many, "index.html")["answers"].set_index("You want")
    assert f"{smallest / 1e6:.1f} MB" in shown.loc["Little space on disk when new", "Take"]


def test_what_the_articles_say_of_two_releases_is_no_change_shown(published):
    said = text(published)
    assert "They differ from those of 26.3.1 (a) by at most 2 %, no change shown" in said
    assert len(tables(published, "index.html")["changed"]) == 4


def test_what_changed_is_told_with_the_verdict_of_the_database(many):
    stated = rows(
        many,
        """
        select ratio, change from release_change
        where host = 'mac-mini-m4-pro' and later_release like 'macos-27%' and consecutive
            and protocol = 'usage-phases' and phase = 'fresh' and scale = 'gold'
        """,
    )
    shown = tables(many, "index.html")["changed"]
    assert sorted(shown["Change"]) == sorted(change for _, change in stated)
    assert sorted(cell.split("\u00d7")[0] for cell in shown["Ratio, 95 % interval"]) == sorted(
        f"{ratio:.2f}" for ratio, _ in stated
    )
    faster = sum(change == "faster" for _, change in stated)
    assert f"of {len(stated)} speeds compared, {faster} faster" in text(many)


def test_hosts_by_releases_count_what_the_database_has(any_site):
    shown = tables(any_site, "index.html")["coverage"].drop(columns="Host")
    said = " ".join(shown.to_numpy().ravel())
    for mark, sql in (
        ("\u25c7", "select count(read_gbps) + count(write_gbps) from published_speed"),
        ("\u25cf", "select count(*) from cell where status = 'measured'"),
    ):
        counted = sum(int(number) for number in re.findall(rf"{mark} (\d+)", said))
        assert counted == rows(any_site, sql)[0][0]


# in a browser


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Say nothing."""


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    handler = functools.partial(Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def page(published):
    """The start page in Chromium."""
    with chromium.started() as browser, serving(published.folder) as address:
        opened = browser.new_page(viewport={"width": 1280, "height": 900})
        opened.goto(f"{address}/index.html")
        opened.wait_for_function(
            "[...document.querySelectorAll('.chart')].every(c => c.matches('.drawn'))"
        )
        yield opened


def taken(page, button) -> tuple[str, bytes]:
    """The name and content of what a button saves, chosen with the keyboard."""
    with page.expect_download() as download:
        button.press("Enter")
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def below(page, table: str):
    """The line below a table."""
    return page.locator(f"#{table}").locator("xpath=ancestor::div[1]/following-sibling::p[1]")


def test_a_table_is_saved_as_it_is_shown(page, published):
    name, content = taken(page, below(page, "table-changed").get_by_role("button", name="CSV"))
    found = list(csv.reader(io.StringIO(content.decode())))
    shown = tables(published, "index.html")["changed"]
    assert name == "changed.csv"
    assert found[0] == list(shown.columns)
    assert found[1:] == shown.to_numpy().tolist()


def test_spanned_cells_and_headings_of_groups_become_whole_rows(page):
    page.evaluate(
        """document.querySelector('main').insertAdjacentHTML('beforeend', `
        <div class="table-box"><table id="table-spans"><thead><tr><th>a</th><th>b</th></tr></thead>
        <tbody><tr class="heading"><th colspan="2">one</th></tr>
        <tr><td rowspan="2">x<small>y</small></td><td>1</td></tr><tr class="more"><td>2, "3"</td></tr>
        </tbody></table></div>`);
        document.dispatchEvent(new Event("DOMContentLoaded"))"""
    )
    _, content = taken(page, below(page, "table-spans").get_by_role("button", name="CSV").first)
    found = list(csv.reader(io.StringIO(content.decode())))
    assert found == [["Group", "a", "b"], ["one", "x y", "1"], ["one", "x y", '2, "3"']]
    page.reload()
    page.wait_for_function(
        "[...document.querySelectorAll('.chart')].every(c => c.matches('.drawn'))"
    )


def test_the_rows_of_a_chart_are_saved(page, published):
    name, content = taken(page, page.locator("figure").get_by_role("button", name="CSV"))
    found = list(csv.DictReader(io.StringIO(content.decode())))
    assert name == "chart-write.csv"
    stated = rows(
        published,
        """
        select write_as_printed from published_speed where article = 'encryption-2026'
            and phase = 'fresh' and scale = 'gold' and host = 'mac-mini-m4-pro'
        """,
    )
    assert sorted(row["figure"] for row in found if row["chart"].startswith("Writing")) == sorted(
        figure for (figure,) in stated
    )


def test_a_picture_has_title_caption_and_a_background(page):
    name, content = taken(page, page.locator("figure").get_by_role("button", name="SVG"))
    drawing = ET.fromstring(content)
    said = " ".join("".join(drawing.itertext()).split())
    assert name == "chart-write.svg"
    assert "slower encrypted" in said
    assert "As published by" in said
    assert "diskbench: Which disk image is fast?" in said
    assert drawing[0].tag.endswith("rect")
    assert drawing[0].get("fill") == "#ffffff"
    name, content = taken(page, page.locator("figure").get_by_role("button", name="PNG"))
    assert name == "chart-write.png"
    assert content.startswith(PNG)


def test_what_is_made_up_says_so_in_pictures_and_names_of_files(page):
    page.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<div class=\"watermark\" data-text=\"made-up data\"></div>')"
    )
    name, content = taken(page, page.locator("figure").get_by_role("button", name="SVG"))
    assert name == "made-up-data-chart-write.svg"
    assert [text.text for text in ET.fromstring(content)].count("made-up data") == 1
    assert b"fast?; made-up data" in content
    page.reload()


def test_a_chart_is_drawn_again_for_a_narrower_page_and_its_title_fits(page):
    beyond = """() => [...document.querySelectorAll('.chart svg')].some(svg =>
        [...svg.querySelectorAll('.role-title tspan')].some(text =>
            text.getBoundingClientRect().right > svg.getBoundingClientRect().right + 1))"""
    titles = "document.querySelectorAll('.chart .role-title tspan').length"
    page.evaluate(
        """() => {
            const data = document.querySelector('.chart script');
            const spec = JSON.parse(data.textContent);
            spec.title = 'A title of a chart that is so long that it takes more of them on a telephone, wide as words are';
            data.textContent = JSON.stringify(spec);
        }"""
    )
    page.set_viewport_size({"width": 800, "height": 900})
    page.wait_for_function(f"{titles} > 1")
    wide = page.evaluate(titles)
    assert not page.evaluate(beyond)
    page.set_viewport_size({"width": 320, "height": 844})
    page.wait_for_function(f"{titles} > {wide}")
    assert not page.evaluate(beyond)
    assert page.locator(".chart").first.locator("svg").count() == 1
    page.set_viewport_size({"width": 1280, "height": 900})
    page.reload()


def test_a_command_is_copied(page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate(
        """document.querySelector('main').insertAdjacentHTML('beforeend',
        '<p class="sources"><span>measured by <code>bash workflow/run.sh one</code></span></p>');
        document.dispatchEvent(new Event("DOMContentLoaded"))"""
    )
    button = page.locator("p.sources", has_text="workflow/run.sh one").get_by_role("button")
    button.press("Enter")
    page.wait_for_function("navigator.clipboard.readText().then(t => t.endsWith('run.sh one'))")
    assert button.inner_text() == "copied"
    page.reload()


def test_nothing_to_press_is_printed(page):
    page.emulate_media(media="print")
    assert page.locator("p.sources").first.is_hidden()
    page.emulate_media(media="screen")
    assert page.locator("p.sources").first.is_visible()


def test_menus_open_and_close_by_keyboard_and_fold_on_a_narrow_screen(page):
    articles = page.locator("nav summary", has_text="Articles")
    link = page.get_by_role("link", name="The cost of encryption, 2026").first
    articles.press("Enter")
    assert link.is_visible()
    page.locator("nav summary", has_text="Evidence").press("Enter")
    page.wait_for_function("document.querySelectorAll('nav details[open]').length === 1")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent") == "Evidence"
    assert page.locator("nav details[open]").count() == 0
    page.set_viewport_size({"width": 390, "height": 844})
    menu = page.get_by_role("button", name="Menu")
    assert articles.is_hidden()
    menu.press("Enter")
    assert menu.get_attribute("aria-expanded") == "true"
    assert articles.is_visible()
    page.keyboard.press("Escape")
    assert articles.is_hidden()
    page.set_viewport_size({"width": 1280, "height": 900})
