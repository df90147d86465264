"""Firefox and WebKit, each with its native protocol.

Playwright drives only a Firefox and a WebKit of its own; these are Debian's. WebKit is the nearest to Safari that there is
for Linux.
"""

import itertools
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import pytest
from gate import PATIENCE_SECONDS

# The least browser of WebKit, which Debian puts into no folder of PATH.
MINI_BROWSERS = "/usr/lib/*/webkit2gtk-4.*/MiniBrowser"


class Browser(Protocol):
    """What a test needs of a browser with one page."""

    def go(self, address: str) -> None:
        """Open an address, and wait until all of it is loaded."""

    def ask(self, expression: str) -> Any:
        """The value of an expression of JavaScript."""

    def resize(self, width: int, height: int) -> None:
        """Make the page as large as this, in CSS pixels, or as near to that as the browser allows."""


def wait(browser: Browser, condition: str) -> None:
    """Wait until an expression is true."""
    last = time.monotonic() + PATIENCE_SECONDS
    while not browser.ask(condition):
        assert time.monotonic() < last, condition
        time.sleep(0.05)


class Firefox:
    """By WebDriver BiDi (https://w3c.github.io/webdriver-bidi/), which it speaks without any other program."""

    def __init__(self, connection: Any):
        self._connection, self._numbers = connection, itertools.count(1)
        self._call("session.new", capabilities={})
        self._page = self._call("browsingContext.getTree")["contexts"][0]["context"]

    def go(self, address: str) -> None:
        # to another part of the same page nothing is loaded
        self._call(
            "browsingContext.navigate", context=self._page, url="about:blank", wait="complete"
        )
        self._call("browsingContext.navigate", context=self._page, url=address, wait="complete")

    def ask(self, expression: str) -> Any:
        answer = self._call(
            "script.evaluate",
            expression=f"JSON.stringify({expression})",
            target={"context": self._page},
            awaitPromise=True,
        )
        assert answer["type"] == "success", answer
        return json.loads(answer["result"].get("value", "null"))

    def resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height}
        self._call("browsingContext.setViewport", context=self._page, viewport=size)

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = next(self._numbers)
        self._connection.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:  # events have no number
            answer = json.loads(self._connection.recv(timeout=PATIENCE_SECONDS))
            if answer.get("id") == number:
                assert answer["type"] == "success", answer
                return answer["result"]


class WebKit:
    """By WebDriver (https://www.w3.org/TR/webdriver2/)."""

    def __init__(self, home: str, browser: str):
        self._home = f"{home}/session"
        options = {"binary": browser, "args": ["--automation"]}
        wanted = {"alwaysMatch": {"webkitgtk:browserOptions": options}}
        self._home += f"/{self._call('', {'capabilities': wanted})['sessionId']}"
        self._call("/timeouts", {"script": 1000 * PATIENCE_SECONDS})

    def go(self, address: str) -> None:
        for one in ("about:blank", address):
            self._call("/url", {"url": one})

    def ask(self, expression: str) -> Any:
        return self._call("/execute/sync", {"script": f"return {expression}", "args": []})

    def resize(self, width: int, height: int) -> None:
        # a window is larger than the page in it
        for more, higher in ((0, 0), self._frame()):
            self._call("/window/rect", {"width": width + more, "height": height + higher})

    def _frame(self) -> tuple[int, int]:
        return tuple(self.ask("[outerWidth - innerWidth, outerHeight - innerHeight]"))

    def _call(self, path: str, parameters: dict[str, Any]) -> Any:
        request = urllib.request.Request(
            self._home + path,
            data=json.dumps(parameters).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from error


@contextmanager
def firefox() -> Iterator[Firefox]:
    """Firefox without a window; skips the test where there is none."""
    program = shutil.which("firefox") or shutil.which("firefox-esr")
    if program is None:
        pytest.skip("no Firefox on PATH: apt-get install firefox-esr")
    from websockets.sync.client import connect

    with TemporaryDirectory() as profile, ExitStack() as opened:
        port = _free_port()
        command = [program, "--headless", "--no-remote", "--profile", profile]
        _started(opened, [*command, "--remote-debugging-port", str(port)])
        _wait_until_it_listens(port)
        address = f"ws://127.0.0.1:{port}/session"
        yield Firefox(opened.enter_context(connect(address, max_size=None)))


@contextmanager
def webkit() -> Iterator[WebKit]:
    """WebKit, on a screen that nobody sees; skips the test where there is none."""
    programs = [
        shutil.which("WebKitWebDriver"),
        shutil.which("Xvfb"),
        *map(str, Path("/").glob(MINI_BROWSERS[1:])),
    ]
    if len(programs) < 3 or None in programs:
        pytest.skip("no WebKit here: apt-get install webkit2gtk-driver xvfb")
    driver, screen, browser, *_ = programs
    with ExitStack() as opened:
        wide = ["-screen", "0", "1600x1200x24", "-nolisten", "tcp", "-displayfd", "1"]
        display = _started(opened, [screen, *wide], subprocess.PIPE).stdout.readline().strip()
        # its own sandbox needs rights that a container has not; it opens this project's pages alone
        alone = {"DISPLAY": f":{display}", "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}
        port = _free_port()
        _started(opened, [driver, f"--port={port}"], environment=alone)
        _wait_until_it_listens(port)
        yield WebKit(f"http://127.0.0.1:{port}", browser)


def _started(
    opened: ExitStack,
    command: list[str],
    stdout: int = subprocess.DEVNULL,
    environment: dict[str, str] | None = None,
) -> subprocess.Popen:
    """A program that is ended, with all that it started, when the others are."""
    running = subprocess.Popen(
        command,
        env=os.environ | (environment or {}),
        stdout=stdout,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )

    def end() -> None:
        os.killpg(running.pid, signal.SIGTERM)
        running.communicate()

    opened.callback(end)
    return running


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def _wait_until_it_listens(port: int) -> None:
    last = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            assert time.monotonic() < last, port
            time.sleep(0.05)
