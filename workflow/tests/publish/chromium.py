"""Chromium for the tests of pages, which waits as long as the busiest machine takes."""

import functools
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from gate import PATIENCE_SECONDS

PROGRAM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
SWITCHES = [
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
PATIENCE_MS = 1000 * PATIENCE_SECONDS


@contextmanager
def started() -> Iterator:
    """A browser; skips the test where there is none. While it runs, no page can be rendered in this thread."""
    if PROGRAM is None:
        pytest.skip("no Chromium on PATH: apt-get install chromium")
    api = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: source workflow/setup.sh"
    )
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=PROGRAM, args=SWITCHES, timeout=PATIENCE_MS
        )
        browser.new_context = _patient(browser.new_context)
        browser.new_page = _patient(browser.new_page)
        yield browser
        browser.close()


def _patient(make: Callable) -> Callable:
    """Playwright's own limit is half a minute, for each wait."""

    @functools.wraps(make)
    def made(**options):
        one = make(**options)
        one.set_default_timeout(PATIENCE_MS)
        return one

    return made
