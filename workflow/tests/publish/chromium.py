"""Chromium for the tests of pages, which waits as long as the busiest machine takes."""

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from gate import PATIENCE_SECONDS

from lib import engine
from proofs.support import web

PATIENCE_MS = 1000 * PATIENCE_SECONDS
# of accessibility
AXE = engine.WORK / "node_modules" / "axe-core" / "axe.min.js"
# true when all charts of a page are drawn
DRAWN = "[...document.querySelectorAll('.chart')].every(chart => chart.matches('.drawn'))"


@dataclass
class Watched:
    """A page in a browser, what it said, and what it asked for."""

    page: object
    home: str
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def __post_init__(self):
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: self.said.append(dialog.message))
        self.page.on("request", lambda request: self.asked.append(request.url))

    def was_quiet(self) -> None:
        """Nothing in the console, and no request to another host."""
        assert self.said == [], self.page.url
        local = (self.home, "blob:", "data:")
        assert [url for url in self.asked if not url.startswith(local)] == [], self.page.url


def serious(page, part: str = "document") -> list[str]:
    """What axe-core finds in a page or a part of it that keeps people out, and where."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate(f"axe.run({part}, {{resultTypes: ['violations']}})")
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in found["violations"]
        if rule["impact"] in {"serious", "critical"}
        for node in rule["nodes"][:3]
    ]


def has_axe() -> bool:
    """Whether axe-core is here: npm adds it to the packages of the page `query`, by their lock."""
    if not AXE.is_file() and AXE.parents[1].is_dir():
        with engine.alone():
            engine.npm("install", "--include=dev")
    return AXE.is_file()


@contextmanager
def started() -> Iterator:
    """A browser; skips the test where there is none."""
    with web.chromium(timeout=PATIENCE_MS) as browser:
        if browser is None:
            pytest.skip("no Chromium on PATH: apt-get install chromium")
        browser.new_context = _patient(browser.new_context)
        browser.new_page = _patient(browser.new_page)
        yield browser


def _patient(make: Callable) -> Callable:
    """Playwright's own limit is half a minute, for each wait."""

    @functools.wraps(make)
    def made(**options):
        one = make(**options)
        one.set_default_timeout(PATIENCE_MS)
        return one

    return made
