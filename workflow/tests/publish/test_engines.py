"""The site in Firefox and WebKit shows the same as in Chromium, where the other tests run."""

import base64
from collections.abc import Iterator
from pathlib import Path

import duckdb
import engines
import pytest
from chromium import DRAWN
from test_browser import KINDS

from proofs.support.web import Files, serving

pytestmark = pytest.mark.slow

# What a page says that goes wrong in it: heard from before its first script on.
LISTEN = b"""<script>
    window.said = [];
    addEventListener('error', event => said.push(event.message || `not loaded: ${event.target.src || event.target.href}`), true);
    addEventListener('unhandledrejection', event => said.push(String(event.reason)));
    for (const kind of ['error', 'warn']) console[kind] = (...words) => said.push(words.join(' '));
</script>"""
UNMARKED = """[...document.querySelectorAll('.chart')].filter(chart =>
    !chart.querySelector('.mark-rect path, .mark-symbol path, .mark-line path')).map(chart => chart.id)"""
# what is wider than the page, or than its place in it
WIDER = """[...document.querySelectorAll('body, main, main > *, .chart svg')].filter(one =>
    one.getBoundingClientRect().right > innerWidth + 1).map(one => `${one.localName} ${one.id} ${one.className}`)"""
BARS = "[...document.querySelectorAll('#explorer ul.bars > li')].map(bar => bar.innerText)"
SPEEDS = "select host, format, op, theil_sen_gbps from measured_speed where theil_sen_gbps is not null order by all"
ROWS = "[...document.querySelectorAll('#query-result tbody tr')].map(row => [...row.cells].map(cell => cell.innerText))"


class Listening(Files):
    """A server of a site, whose pages tell what goes wrong in them."""

    def do_GET(self):  # noqa: N802 the name of its server
        file = Path(self.translate_path(self.path))
        if file.suffix != ".html":
            return super().do_GET()
        content = file.read_bytes().replace(b"<head>", b"<head>" + LISTEN, 1)
        assert LISTEN in content
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        return None


@pytest.fixture(scope="module")
def served(site) -> Iterator[str]:
    with serving(site.folder, Listening) as address:
        yield address


@pytest.fixture(scope="module", params=["firefox", "webkit"])
def browser(request) -> Iterator[engines.Browser]:
    with getattr(engines, request.param)() as started:
        yield started


@pytest.mark.parametrize("width", [1440, 500])
def test_every_page_is_quiet_whole_and_fits(browser, served, site, width):
    """Every page on a narrow screen, one of each kind on a wide one."""
    browser.resize(width, 900)
    assert browser.ask("innerWidth") == width
    every = [file.with_suffix("").as_posix() for file in site.pages]
    for file in every if width == 500 else KINDS:
        browser.go(f"{served}/{file}.html")
        engines.wait(browser, DRAWN)
        assert browser.ask("said") == [], file
        assert browser.ask(UNMARKED) == [], file
        assert browser.ask("document.documentElement.scrollWidth") <= width, file
        assert browser.ask(WIDER) == [], file


def test_the_explorer_follows_a_choice_and_its_link_gives_the_same_again(browser, served):
    # the Mac and release of encryption-2026
    browser.go(f"{served}/index.html#m=mac-mini-m4-pro&a=26.3.1+%28a%29")
    engines.wait(browser, f"{BARS}.some(bar => bar.includes('5.23 GB/s'))")
    browser.ask("""(() => {
        const choice = document.querySelector('#explorer select[name=o]');
        choice.value = 'read';
        choice.dispatchEvent(new Event('change', {bubbles: true}));
    })()""")
    engines.wait(browser, f"{BARS}.some(bar => bar.includes('5.09 GB/s'))")
    bars = browser.ask(BARS)
    browser.go(browser.ask("location.href"))
    engines.wait(browser, f"{BARS}.length > 0")
    assert browser.ask(BARS) == bars
    assert browser.ask("said") == []


def test_a_query_in_a_link_shows_the_rows_of_the_database(browser, served, site):
    packed = base64.urlsafe_b64encode(SPEEDS.encode()).decode().rstrip("=")
    browser.go(f"{served}/query.html#s={packed}")
    engines.wait(
        browser,
        "['error', 'result'].some(part => !document.querySelector(`#query-${part}`).hidden)",
    )
    with duckdb.connect(str(site.database), read_only=True) as connection:
        connection.execute(f"create temp table result as {SPEEDS}")
        expected = connection.execute("select columns(*)::varchar from result").fetchall()
    assert [tuple(row) for row in browser.ask(ROWS)] == expected
    assert browser.ask("said") == []
