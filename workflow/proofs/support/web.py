"""A browser, and a local server for a folder."""

import functools
import http.server
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
SWITCHES = [
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


class Files(http.server.SimpleHTTPRequestHandler):
    """Python's own server of files: it knows no parts of them."""

    def log_message(self, *_):
        """Say nothing."""


@contextmanager
def serving(folder: Path, handler: type[Files] = Files) -> Iterator[str]:
    """Gives the address; it ends with the block."""
    here = functools.partial(handler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), here) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def chromium(**options) -> Iterator:
    """A browser for playwright, with its options; None without Chromium."""
    if CHROMIUM is None:
        yield None
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES, **options)
        yield browser
        browser.close()
