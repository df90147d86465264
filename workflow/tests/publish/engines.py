"""Firefox and WebKit, by WebDriver.

Playwright drives only a Firefox and a WebKit of its own; these are Debian's. WebKit is the nearest to Safari that there is
for Linux.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

import pytest
from gate import PATIENCE_SECONDS

# The least browser of WebKit, which Debian puts into no folder of PATH.
MINI_BROWSERS = "/usr/lib/*/webkit2gtk-4.*/MiniBrowser"

# A command of WebDriver with its parameters, by name: the answer.
Call = Callable[..., Any]


class Browser:
    """A browser with one page, by the commands of WebDriver (https://www.w3.org/TR/webdriver2/)."""

    def __init__(self, call: Call):
        self._call = call
        call("SetTimeouts", script=1000 * PATIENCE_SECONDS)

    def go(self, address: str) -> None:
        """Open an address, and wait until all of it is loaded."""
        # to another part of the same page nothing is loaded
        for one in ("about:blank", address):
            self._call("Navigate", url=one)

    def ask(self, expression: str) -> Any:
        """The value of an expression of JavaScript."""
        return self._call("ExecuteScript", script=f"return {expression}", args=[])

    def resize(self, width: int, height: int) -> None:
        """Make the page as large as this, in CSS pixels, or as near to that as the browser allows."""
        # a window is larger than the page in it
        for more, higher in ((0, 0), self._frame()):
            self._call("SetWindowRect", width=width + more, height=height + higher)

    def _frame(self) -> tuple[int, int]:
        return tuple(self.ask("[outerWidth - innerWidth, outerHeight - innerHeight]"))


def wait(browser: Browser, condition: str) -> None:
    """Wait until an expression is true."""
    last = time.monotonic() + PATIENCE_SECONDS
    while not browser.ask(condition):
        assert time.monotonic() < last, condition
        time.sleep(0.05)


def _marionette(stream: BinaryIO) -> Call:
    """Calls by Firefox's own protocol, Marionette: the length of a message in JSON, a colon, the message."""

    def received() -> Any:
        length = b"".join(iter(lambda: stream.read(1), b":"))
        return json.loads(stream.read(int(length)))

    def call(command: str, **parameters: Any) -> Any:
        message = json.dumps([0, 0, f"WebDriver:{command}", parameters]).encode()
        stream.write(b"%d:%b" % (len(message), message))
        stream.flush()
        _, _, error, result = received()
        assert error is None, error
        return result.get("value")

    received()  # its greeting
    call("NewSession")
    return call


def _webdriver(home: str, browser: str) -> Call:
    """Calls by HTTP, as WebKit's driver takes them."""
    paths = {
        "SetTimeouts": "/timeouts",
        "Navigate": "/url",
        "ExecuteScript": "/execute/sync",
        "SetWindowRect": "/window/rect",
    }

    def post(address: str, parameters: dict[str, Any]) -> Any:
        request = urllib.request.Request(
            address,
            data=json.dumps(parameters).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from error

    options = {"binary": browser, "args": ["--automation"]}
    wanted = {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}}
    session = f"{home}/session/{post(f'{home}/session', wanted)['sessionId']}"
    return lambda command, **parameters: post(session + paths[command], parameters)


@contextmanager
def firefox() -> Iterator[Browser]:
    """Firefox without a window; skips the test where there is none."""
    program = shutil.which("firefox") or shutil.which("firefox-esr")
    if program is None:
        pytest.skip("no Firefox on PATH: apt-get install firefox-esr")
    with TemporaryDirectory() as profile, ExitStack() as opened:
        port = _free_port()
        Path(profile, "user.js").write_text(f'user_pref("marionette.port", {port});')
        _started(
            opened, [program, "--headless", "--no-remote", "--profile", profile, "--marionette"]
        )
        connection = opened.enter_context(_connected(port))
        connection.settimeout(PATIENCE_SECONDS)
        yield Browser(_marionette(opened.enter_context(connection.makefile("rwb"))))


@contextmanager
def webkit() -> Iterator[Browser]:
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
        _connected(port).close()
        yield Browser(_webdriver(f"http://127.0.0.1:{port}", browser))


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


def _connected(port: int) -> socket.socket:
    """A connection to a program that is about to listen there."""
    last = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except OSError:
            assert time.monotonic() < last, port
            time.sleep(0.05)
