"""Chromium for the tests of pages, which waits as long as the busiest machine takes."""

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from gate import PATIENCE_SECONDS

from proofs.support import web

PATIENCE_MS = 1000 * PATIENCE_SECONDS
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
