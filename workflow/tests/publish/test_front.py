"""The start page's answers, and the links below charts and tables, in three states of the data."""

import csv
import io
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from chromium import DRAWN
from rendered import Tables, rows, tables, text

from lib import basis, explorer
from proofs.support.web import serving

PNG = b"\x89PNG\r\n\x1a\n"


def test_the_first_words_are_the_answer_with_its_speed_and_whose_it_is(published_site):
    write, read = rows(
        published_site,
        """
        select write_as_printed, read_as_printed from published_speed
        where article = 'encryption-2026' and format = 'UDSB' and encryption = 'AES-256'
        """,
    )[0]
    said = published_site.words("index.html")
    first = (
        "Encrypted, a sparse bundle was fastest (Howard Oakley, March 2026; Mac mini M4 Pro, "
        "macOS 26.3.1 (a), AES-256; one test, no interval): "
        f"it writes {write} GB/s and reads {read}; ASIF, the next fastest, writes 1.72."
    )
    assert first in said
    # figures without an interval recommend nothing
    assert "use " not in said[said.index(first) : said.index("Pick your Mac")]
    assert "RAW (read-write, UDRW)" in said
    # faster than the SSD itself: perhaps of memory
    caveat = "where an image is faster, part of its data may still have been in memory"
    assert f"10.11 GB/s (RAW). The SSD itself writes 7.66: {caveat}." in said


def test_a_newer_measured_release_takes_the_place_of_the_articles(site):
    low, high, speed, runs = rows(
        site,
        """
        select gbps_low, gbps_high, gbps, runs from repeated_speed
        where host = 'mac-mini-m4-pro' and os_version = '27.0' and format = 'UDSB'
            and encryption = 'AES-256' and op = 'write' and protocol = 'usage-phases'
            and phase = 'fresh' and statistic = 'theil_sen'
        """,
    )[0]
    said = site.words("index.html")
    assert (
        f"Encrypted on macOS 27.0: use a sparse bundle. It writes {speed:.2f} GB/s "
        f"(95 % interval across runs: {low:.2f} to {high:.2f})"
    ) in said
    # a run is 10 sets of 16 files
    assert f"Mac mini M4 Pro, macOS 27.0, measured, {runs} runs of 160 files" in said


def test_without_a_script_the_explorer_is_a_table_of_the_answers_images(published_site):
    shown = tables(published_site, "index.html")["explorer"]
    speeds = rows(
        published_site,
        """
        select write_as_printed from published_speed
        where host = 'mac-mini-m4-pro' and macos = '26.3.1 (a)' and storage = 'internal'
            and write_gbps is not null and not second_hand and (phase in ('fresh', 'unstated'))
        """,
    )
    assert sorted(shown["Write (GB/s)"]) == sorted(text for (text,) in speeds)
    ssd = shown[shown["Image"] == "the SSD itself"].iloc[0]
    assert ssd["Share of the SSD\u2019s speed"] == "100 %"


def test_what_changed_is_told_with_the_verdict_of_the_database(site):
    stated = rows(
        site,
        """
        select op, ratio, change from release_change
        where host = 'mac-mini-m4-pro' and later_release like 'macos-27%'
            and earlier_release like 'macos-26.4%' and consecutive
            and protocol = 'usage-phases' and phase = 'fresh' and scale = 'gold'
        """,
    )
    shown = tables(site, "index.html")["changed"]
    for op in ("write", "read"):
        cells = [cell for cell in shown[op.capitalize()] if "\u00d7" in cell or "depends" in cell]
        # the verdict, and the ratio where there is one
        assert sorted(cell.partition("\u00d7")[0] for cell in cells) == sorted(
            f"{change} depends on the statistic"
            if change == "not comparable"
            else f"{change} {ratio:.2f}"
            for direction, ratio, change in stated
            if direction == op
        )


# in a browser


@pytest.fixture(scope="module")
def opened(browser, published_site):
    """Opens a page of the site in Chromium."""
    with serving(published_site.folder) as address:

        def open_page(name: str):
            made = browser.new_page(viewport={"width": 1280, "height": 900})
            made.goto(f"{address}/{name}")
            made.wait_for_function(DRAWN)
            return made

        yield open_page


@pytest.fixture(scope="module")
def page(opened):
    """A page of an article: it has charts."""
    return opened("articles/encryption-2026.html")


@pytest.fixture(scope="module")
def index(opened):
    """The start page."""
    return opened("index.html")


def taken(page, button) -> tuple[str, bytes]:
    """The name and content of what a button saves, chosen with the keyboard."""
    with page.expect_download() as download:
        button.press("Enter")
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def below(page, table: str):
    """The line below a table."""
    return page.locator(f"#{table}").locator("xpath=ancestor::div[1]/following-sibling::p[1]")


def test_spanned_cells_and_headings_become_whole_rows_without_the_letters_of_notes(page):
    page.evaluate(
        """document.querySelector('main').insertAdjacentHTML('beforeend', `
        <div class="table-box"><table id="table-spans"><thead>
        <tr><th rowspan="2">a</th><th colspan="2">b</th></tr>
        <tr class="more"><th>c</th><th>d</th></tr></thead>
        <tbody><tr class="heading"><th colspan="3">one</th></tr>
        <tr><td rowspan="2">x<sup>a</sup><small>y</small></td><td>1</td><td>4</td></tr>
        <tr class="more"><td>2, "3"</td><td>5</td></tr>
        </tbody></table></div>`);
        document.dispatchEvent(new Event("DOMContentLoaded"))"""
    )
    button = below(page, "table-spans").get_by_role("button", name="CSV").first
    name, content = taken(page, button)
    assert name == "spans.csv"
    found = list(csv.reader(io.StringIO(content.decode())))
    head, *body = found
    assert head == ["Group", "a", "b c", "b d"]
    assert body == [["one", "x y", "1", "4"], ["one", "x y", '2, "3"', "5"]]
    page.reload()
    page.wait_for_function(DRAWN)


def test_the_rows_of_a_chart_are_saved(page, published_site):
    name, content = taken(page, page.locator("figure").get_by_role("button", name="CSV"))
    found = list(csv.DictReader(io.StringIO(content.decode())))
    assert name == "chart-cost-write.csv"
    stated = rows(
        published_site,
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
    assert name == "chart-cost-write.svg"
    assert "slower encrypted" in said
    assert "as published (Mac mini M4 Pro, macOS 26.3.1 (a))" in said
    assert "diskbench: The cost of encryption" in said
    assert drawing[0].tag.endswith("rect")
    assert drawing[0].get("fill") == "#ffffff"
    name, content = taken(page, page.locator("figure").get_by_role("button", name="PNG"))
    assert name == "chart-cost-write.png"
    assert content.startswith(PNG)


def test_synthetic_data_is_marked_in_pictures_and_names_of_files(page):
    page.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<div class=\"watermark\" data-text=\"made-up data\"></div>')"
    )
    name, content = taken(page, page.locator("figure").get_by_role("button", name="SVG"))
    assert name == "made-up-data-chart-cost-write.svg"
    assert [text.text for text in ET.fromstring(content)].count("made-up data") == 1
    assert b"encryption; made-up data" in content
    page.reload()


def test_a_chart_is_drawn_again_for_a_narrower_page(page):
    drawn = page.locator(".chart svg").first
    assert drawn.bounding_box()["width"] > 320
    page.set_viewport_size({"width": 320, "height": 844})
    page.wait_for_function(
        "document.querySelector('.chart svg').getBoundingClientRect().width < 320"
    )
    assert page.locator(".chart").first.locator("svg").count() == 1
    page.set_viewport_size({"width": 1280, "height": 900})
    page.reload()


def copied(page, part: str) -> str:
    """What is in the clipboard, as soon as it has this in it, or after 5 seconds."""
    for _ in range(50):
        if part in (text := page.evaluate("navigator.clipboard.readText()")):
            break
        page.wait_for_timeout(100)
    return text


def test_a_command_is_copied(page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate(
        """document.querySelector('main').insertAdjacentHTML('beforeend',
        '<p class="sources"><span>To measure this: <code>bash workflow/run.sh one</code></span></p>');
        document.dispatchEvent(new Event("DOMContentLoaded"))"""
    )
    button = page.locator("p.sources", has_text="workflow/run.sh one").get_by_role("button")
    button.press("Enter")
    assert copied(page, "run.sh one").endswith("run.sh one")
    assert button.inner_text() == "copied"
    page.reload()


# the explorer


def bars(index) -> list[str]:
    return index.locator("#explorer ul.bars > li").all_inner_texts()


@pytest.fixture(scope="module")
def measured_bars(browser, site):
    """The bars of the measured start page for a choice, each in one line."""
    with serving(site.folder) as address:

        def shown(choice: str) -> list[str]:
            page = browser.new_page()
            page.goto(f"{address}/index.html#m=mac-mini-m4-pro&{choice}")
            lines = [" ".join(line.split()) for line in bars(page)]
            page.close()
            return lines

        yield shown


def choose(index, name: str, label: str) -> None:
    choice = index.locator("#explorer label").filter(has_text=re.compile(f"^{name}"))
    choice.get_by_role("combobox").select_option(label=label)


def begin_again(index) -> None:
    """The start page as it opens; from another page, as a change of the fragment alone loads nothing."""
    address = index.url.partition("#")[0]
    index.goto("about:blank")
    index.goto(address)


MARK = "depends on the statistic: some files far slower than others of their size"


@pytest.mark.parametrize(
    ("macos", "phase", "op"),
    [
        ("27.0", "fresh", "write"),
        ("27.0", "partly-filled", "write"),
        ("27.0", "emptied", "write"),
        ("26.4", "fresh", "read"),
    ],
)
def test_the_explorer_has_the_speeds_of_a_state_with_interval_and_whether_the_statistic_matters(
    measured_bars, site, macos, phase, op
):
    known = rows(
        site,
        f"""
        select format = 'native', round(gbps, 2), round(gbps_low, 2), round(gbps_high, 2),
            statistics_differ is not null
        from comparable_speed
        where host = 'mac-mini-m4-pro' and os_version = '{macos}' and protocol = 'usage-phases'
            and scale = 'gold' and op = '{op}' and phase = '{phase}' and storage = 'internal'
            and band_bytes is null
        """,
    )
    shown = measured_bars(f"a={macos}&d=internal&p={phase}&o={op}&w=measured")
    assert len(shown) == len(known) > 2
    for native, speed, low, high, depends in known:
        [line] = [line for line in shown if f" {speed:.2f} GB/s" in line]
        assert line.startswith("the SSD itself") == native
        assert low is None or f"{speed:.2f} GB/s ({low:.2f} to {high:.2f})" in line
        assert line.endswith(MARK) == depends


def test_the_table_without_a_script_marks_speeds_that_depend_on_the_statistic(
    made_up, changed, asked
):
    image = "format = 'UDSP' and encryption = 'AES-256' and release like 'macos-27%'"
    asked(changed(made_up, f"update repeated_speed set statistics_differ = 'few' where {image}"))
    [table] = Tables(text(explorer.shown(basis.newest()))).tables.values()
    marked = [row[0] for row in table if row[1].endswith(" depends on the statistic: few")]
    assert marked == ["sparse image, AES-256"]


def test_a_choice_announces_what_is_shown_and_not_every_bar(index):
    announced = index.locator("#explorer").get_by_role("status")
    choose(index, "Encryption", "AES-256")
    said = " ".join(announced.inner_text().split())
    images = [line for line in bars(index) if not line.startswith("the SSD itself")]
    assert said == (
        f"Writing to new images, Mac mini M4 Pro, macOS 26.3.1 (a) {len(images)} images shown."
    )
    assert index.locator("#explorer [aria-live]").count() == 0
    begin_again(index)


def test_bars_are_filled_also_in_the_colours_of_a_reader(browser, site):
    page = browser.new_page(forced_colors="active")
    page.goto((site.folder / "index.html").as_uri())
    filled = page.locator("#explorer .measured .bar-fill").first
    assert filled.evaluate("one => getComputedStyle(one).backgroundColor") == "rgb(27, 100, 163)"
    page.close()


def test_a_choice_is_in_a_short_link_that_gives_the_same_bars_again(index, opened):
    choose(index, "Direction", "read")
    choose(index, "Encryption", "AES-256")
    choose(index, "Order", "fastest first")
    shown, address = bars(index), index.url
    assert "sparse bundle, AES-256" in " ".join(shown)
    assert "5.09 GB/s" in " ".join(shown)
    assert len(address.partition("#")[2]) <= 200
    again = opened(f"index.html#{address.partition('#')[2]}")
    assert bars(again) == shown
    again.close()
    begin_again(index)


def test_two_releases_are_side_by_side_and_printed_figures_have_no_verdict(index):
    choose(index, "macOS", "26.4")
    choose(index, "Compare with", "26.3.1 (a)")
    asif = next(line for line in bars(index) if line.startswith("ASIF, AES-256"))
    assert "26.4: 1.76 GB/s" in asif
    assert "26.3.1 (a): 1.72 GB/s" in asif
    assert "26.4 against 26.3.1 (a): 1.02\u00d7, one figure each: no verdict" in asif
    begin_again(index)


def test_the_ratio_of_two_releases_is_that_of_its_words_in_either_order(measured_bars, site):
    known = rows(
        site,
        """
        select round(ratio, 2), change from release_change
        where host = 'mac-mini-m4-pro' and storage = 'internal' and driver = 'apple'
            and protocol = 'usage-phases' and scale = 'gold' and band_bytes is null
            and format = 'UDRW' and encryption = 'AES-256' and phase = 'fresh' and op = 'write'
            and earlier_release like 'macos-26.4%' and later_release like 'macos-27.0%'
        """,
    )
    [(ratio, change)] = known
    assert ratio != 1
    for one, other in (("27.0", "26.4"), ("26.4", "27.0")):
        lines = measured_bars(f"a={one}&b={other}&d=internal&w=measured")
        [image] = [line for line in lines if line.startswith("RAW, AES-256")]
        assert image.endswith(f"27.0 against 26.4: {ratio:.2f}\u00d7, {change}")


def test_the_explorer_is_copied_as_markdown_and_csv(index):
    index.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for name, line in (
        ("Copy Markdown", "| sparse bundle, AES-256 | published | 5.23 |  | 68 % |  |"),
        ("Copy CSV", '"sparse bundle, AES-256",published,5.23,,68 %,'),
    ):
        index.get_by_role("button", name=name).press("Enter")
        assert line in copied(index, line).splitlines()


def test_menus_open_and_close_by_keyboard_and_fold_on_a_narrow_screen(page):
    articles = page.locator("nav summary", has_text="Articles")
    link = page.get_by_role("link", name="The cost of encryption, 2026").first
    articles.press("Enter")
    assert link.is_visible()
    page.locator("nav summary", has_text="Details").press("Enter")
    page.wait_for_function("document.querySelectorAll('nav:not(#TOC) details[open]').length === 1")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent") == "Details"
    assert page.locator("nav:not(#TOC) details[open]").count() == 0
    page.set_viewport_size({"width": 390, "height": 844})
    menu = page.get_by_role("button", name="Menu")
    assert articles.is_hidden()
    menu.press("Enter")
    assert menu.get_attribute("aria-expanded") == "true"
    assert articles.is_visible()
    page.keyboard.press("Escape")
    assert articles.is_hidden()
    page.set_viewport_size({"width": 1280, "height": 900})
