"""Chromium for the tests of pages, which waits as long as the busiest machine takes."""

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from gate import PATIENCE_SECONDS

from proofs.support import web

PATIENCE_MS = 1000 * PATIENCE_SECONDS


@contextmanager
def started() -> Iterator:
    """A browser; skips the test where there is none. While it runs, no page can be rendered in this thread."""
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
