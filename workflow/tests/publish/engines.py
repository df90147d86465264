"""Firefox and WebKit, each by the protocol that it speaks itself.

Playwright drives the Firefox and WebKit that it brings from an address of its own; these are Debian's. WebKit's is the
nearest to Safari that there is for Linux.
"""

import itertools
import json
import os
import re
import shutil
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

# Debian's, which no folder of PATH has; a program that is driven, in a window of its own.
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

    def __init__(self, socket: Any):
        self._socket, self._numbers = socket, itertools.count(1)
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
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:  # events have no number
            answer = json.loads(self._socket.recv(timeout=PATIENCE_SECONDS))
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
        command = [program, "--headless", "--no-remote", "--profile", profile]
        browser = _started(opened, [*command, "--remote-debugging-port", "0"], stderr=True)
        said = next(
            found for line in browser.stderr if (found := re.search(r"BiDi .*(ws:\S+)", line))
        )
        yield Firefox(opened.enter_context(connect(f"{said[1]}/session", max_size=None)))


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
        display = _started(opened, [screen, *wide]).stdout.readline().strip()
        # its own sandbox needs rights that a container has not; it opens this project's pages alone
        alone = {"DISPLAY": f":{display}", "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}
        port = _free_port()
        _started(opened, [driver, f"--port={port}"], environment=alone)
        yield WebKit(_answering(f"http://127.0.0.1:{port}"), browser)


def _started(
    opened: ExitStack,
    command: list[str],
    environment: dict[str, str] | None = None,
    stderr: bool = False,
) -> subprocess.Popen:
    """A program that is ended, with all that it started, when the others are."""
    running = subprocess.Popen(
        command,
        env=os.environ | (environment or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if stderr else subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )

    def end() -> None:
        os.killpg(running.pid, 15)
        running.communicate()

    opened.callback(end)
    return running


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def _answering(home: str) -> str:
    """The address of a program that begins to answer there."""
    last = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            urllib.request.urlopen(f"{home}/status", timeout=PATIENCE_SECONDS).close()
            return home
        except urllib.error.URLError:
            assert time.monotonic() < last, home
            time.sleep(0.05)
