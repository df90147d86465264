"""The rendered pages in a real browser: light and dark, on a desk and on a telephone."""

import functools
import http.server
import shutil
import threading
from pathlib import Path

import pytest

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
SWITCHES = [
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
WIDTHS = {1440: 900, 390: 844}
# on a narrow page each cell has its heading beside it: those that are higher than their cell, into the next one
HIGHER = """[...document.querySelectorAll('table.wide td')].map(cell => [
    parseFloat(getComputedStyle(cell, '::before').height), cell.getBoundingClientRect().height, cell.dataset.heading
]).filter(([heading, cell]) => heading > cell)"""

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture(scope="module")
def browser(site):
    """Chromium, started when the site is there: while it runs, no page can be rendered in this thread."""
    assert site.folder.is_dir()
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def served(site):
    """The site behind an address on this machine."""
    handler = functools.partial(Quiet, directory=site.folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_draws_its_charts_quietly_and_fits(browser, served, site, width, scheme):
    context = browser.new_context(
        viewport={"width": width, "height": WIDTHS[width]}, color_scheme=scheme
    )
    for name in site.pages:
        page, said, asked = context.new_page(), [], []
        page.on("console", lambda message, said=said: said.append(message.text))
        page.on("pageerror", lambda error, said=said: said.append(str(error)))
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.goto(f"{served}/{Path(name).as_posix()}")
        drawn = _charts(page)
        assert said == [], name
        assert [url for url in asked if not url.startswith((served, "data:", "blob:"))] == [], name
        assert page.evaluate("document.body.className") == f"quarto-{scheme}", name
        assert all(marks > 0 for marks in drawn.values()), (name, drawn)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        assert page.evaluate(HIGHER) == [], name
        for box in page.query_selector_all(".chart svg"):
            assert box.bounding_box()["width"] <= width, name
        page.close()
    context.close()


def _charts(page) -> dict[str, int]:
    """How many marks each chart has, once all are drawn."""
    page.wait_for_function(
        "[...document.querySelectorAll('.chart')].every(c => c.matches('.drawn'))"
    )
    return page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.chart')].map(chart => [
            chart.id,
            chart.querySelectorAll('.mark-rect path, .mark-symbol path, .mark-line path').length,
        ]))"""
    )


def test_the_chart_of_costs_has_a_mark_for_each_published_figure(browser, served):
    page = browser.new_page()
    page.goto(f"{served}/articles/encryption-2026.html")
    _charts(page)
    published = page.evaluate(
        "document.querySelector('#chart-cost-write .mark-symbol.role-mark').children.length"
    )
    figures = page.evaluate(
        "[...document.querySelectorAll('#chart-cost-write .mark-text.role-mark text')]"
        ".map(t => t.textContent)"
    )
    page.close()
    assert published == 6
    assert set(figures) >= {"7.62", "5.23", "10.11", "1.58", "9.55", "1.72"}


def test_the_choice_of_colours_is_remembered_and_charts_follow(browser, served):
    context = browser.new_context(color_scheme="light")
    page = context.new_page()
    page.goto(served)
    _charts(page)
    colour = "getComputedStyle(document.querySelector('#chart-write .role-title-text text')).fill"
    light = page.evaluate(colour)
    page.keyboard.press("Tab")  # the link past the navigation
    page.get_by_role("button", name="Switch between light and dark").press("Enter")
    page.wait_for_function(f"{colour} !== '{light}'")
    page.goto(f"{served}/hosts.html")
    assert page.evaluate("document.body.className") == "quarto-dark"
    context.close()


def test_what_is_folded_away_is_there_when_it_is_opened_and_on_paper(browser, served):
    page = browser.new_page()
    page.goto(f"{served}/hosts.html")
    hidden = """[...document.querySelectorAll('table')].filter(
        table => !table.checkVisibility({contentVisibilityAuto: true})).length"""
    folds = page.evaluate("document.querySelectorAll('details.fold').length")
    assert page.evaluate(hidden) == folds
    page.emulate_media(media="print")
    assert page.evaluate(hidden) == 0
    page.emulate_media(media="screen")
    for fold in page.query_selector_all("details.fold > summary"):
        fold.press("Enter")
    assert page.evaluate(hidden) == 0
    page.close()
