"""Response time of the page `query` over http, and the transferred bytes.

The server is on this machine, so the times are those of the page and of the engine, without a
network. It sends text compressed, as GitHub Pages and other publishers of sites do.
"""

import functools
import gzip
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from proofs.support import goals, proof, web
from proofs.support.proof import Figure

ROUNDS = 6  # as few as give the median an interval: see goals.of_median
FIRST, LATER = goals.at_most(2.5, "<= 2.5 s"), goals.at_most(0.2, "<= 0.2 s")
MOVED = goals.at_most(12_000_000, "<= 12 MB")
TEXT = {".css", ".html", ".js", ".json", ".svg", ".xml"}  # what is compressed
SHOWN = (
    """() => ['#query-error', '#query-result'].some(box => !document.querySelector(box).hidden)"""
)
DONE = """() => !document.querySelector('#query-run').disabled"""


@dataclass(frozen=True)
class Answered:
    """One visit by a browser that has nothing of the site yet, in seconds and bytes."""

    first_s: float  # from opening the page to the rows of the query that stands there
    later_s: list[float]  # of each worked question, once the engine runs
    moved_bytes: int  # until the first answer


def figures(of: str, site: Path) -> list[Figure]:
    """The times and the bytes of several visits; none without a browser or an SQL engine."""
    if not (site / "engine" / "duckdb.js").is_file():
        return []
    with web.chromium() as browser:
        if browser is None:
            return []
        _visit(browser, site)  # the server compresses each file when it is first asked for it
        visits = [_visit(browser, site) for _ in range(ROUNDS)]
    moved = max(visit.moved_bytes for visit in visits)
    later = [statistics.median(visit.later_s) for visit in visits]
    return [
        proof.over_rounds(
            f"{of}: time to the first answer over http", [one.first_s for one in visits], "s", FIRST
        ),
        proof.over_rounds(f"{of}: time to a later answer (median question)", later, "s", LATER),
        proof.counted(f"{of}: transferred for the first answer", moved, "bytes", MOVED),
    ]


def _visit(browser, site: Path) -> Answered:
    moved: list[int] = []
    with web.serving(site, _counting(moved)) as address, _new_page(browser) as page:
        began = time.monotonic()
        page.goto(f"{address}/query.html", wait_until="commit")
        page.click("#query-run:not([disabled])")
        _wait(page, SHOWN)
        first = time.monotonic() - began
        _wait(page, DONE)  # with its chart
        until_first = sum(moved)
        later = []
        for question in _questions(page):
            began = time.monotonic()
            page.select_option("#query-example", question)
            _wait(page, DONE)
            later.append(time.monotonic() - began)
    return Answered(first, later, until_first)


def _counting(moved: list[int]) -> type[web.Files]:
    """A server that sends text compressed, and adds the bytes of each file that it sends."""

    class Counting(web.Files):
        def do_GET(self):  # noqa: N802 the name of its server
            file = Path(self.translate_path(self.path))
            if not file.is_file():
                self.send_error(404)
                return
            content = _compressed(file) if file.suffix in TEXT else file.read_bytes()
            moved.append(len(content))
            self.send_response(200)
            self.send_header("Content-Type", self.guess_type(file))
            self.send_header("Content-Length", str(len(content)))
            if file.suffix in TEXT:
                self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            self.wfile.write(content)

    return Counting


@functools.cache
def _compressed(file: Path) -> bytes:
    return gzip.compress(file.read_bytes(), 6)


@contextmanager
def _new_page(browser) -> Iterator:
    context = browser.new_context()  # with nothing kept from an earlier visit
    yield context.new_page()
    context.close()


def _questions(page) -> list[str]:
    values = page.eval_on_selector_all("#query-example option", "all => all.map(one => one.value)")
    return [value for value in values if value]


def _wait(page, until: str) -> None:
    page.wait_for_function(until)
    if page.is_visible("#query-error"):
        raise RuntimeError(f"a query failed: {page.inner_text('#query-error')}")
