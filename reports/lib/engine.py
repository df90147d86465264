"""Makes `engine/`: the SQL engine and the editor of the page `query`, from npm packages.

Quarto runs this before it renders (`pre-render` in `_quarto.yml`); so does the plain renderer. The
sources and the lock are in `assets/query/`, the packages go to `.diskbench/engine/` of the project,
and nothing is done when nothing changed. Without a network the site is made all the same: the page
then says that it has no engine, and the next render tries again.
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

REPORTS = Path(__file__).resolve().parent.parent
SOURCES = REPORTS / "assets" / "query"
TARGET = REPORTS / "engine"
WORK = REPORTS.parent / ".diskbench" / "engine"
LOG = REPORTS.parent / ".diskbench" / "logs" / "engine.log"
LOCK = "package-lock.json"
PACKAGES = ("package.json", LOCK, ".npmrc")
SECONDS = 300  # far more than npm needs, but npm must not hang the workflow
# fail quickly without a network: npm's defaults wait for more than a minute
NPM = [
    "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier",
    "--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=60000",
]  # fmt: skip


class NoEngineError(Exception):
    """The engine could not be made; the message has the reason."""


def made() -> dict | None:
    """Facts about the engine for the page (`parts`, `bytes`, `made_from`); None if missing."""
    state = _state()
    return state if state.get("made_from") == _digest() else None


def make() -> None:
    """Make the engine if it is missing or its sources changed; report a failure."""
    if made():
        return
    WORK.mkdir(parents=True, exist_ok=True)
    with alone():
        if made():
            return
        new = WORK / "new"
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir()
        try:
            _build(new)
            state = json.loads((new / "engine.json").read_text(encoding="utf-8"))
            state["made_from"] = _digest()
        except NoEngineError as error:
            shutil.rmtree(new)
            new.mkdir()
            state = {"missing": str(error)}
            _say(
                f"the page query has no SQL engine, since {error}; "
                "the rest of the site is complete, and the next render tries again"
            )
        shutil.rmtree(TARGET, ignore_errors=True)
        # the two may be on different disks, so files may be copied one by one
        shutil.move(new, TARGET)
        # last: only what is complete says what it is made from
        (TARGET / "engine.json").write_text(json.dumps(state) + "\n", encoding="utf-8")


def _build(folder: Path) -> None:
    """Fetch the packages if needed, and bundle them."""
    node = _program("node")
    LOG.parent.mkdir(parents=True, exist_ok=True)
    LOG.write_text("", encoding="utf-8")
    shutil.rmtree(WORK / "source", ignore_errors=True)
    shutil.copytree(SOURCES / "source", WORK / "source")
    for name in (*PACKAGES, "build.mjs"):
        shutil.copyfile(SOURCES / name, WORK / name)
    fetched = WORK / "node_modules" / ".fetched"  # npm empties the folder first
    lock = _sha(SOURCES / LOCK)
    if not fetched.is_file() or fetched.read_text(encoding="utf-8") != lock:
        said = npm("ci", "--omit=dev")
        if said is not None:
            code = re.search(r"npm error code (\w+)", said)
            named = f" ({code[1]})" if code else ""
            raise NoEngineError(f"npm could not fetch its packages{named}: see {_short(LOG)}")
        fetched.write_text(lock, encoding="utf-8")
    if _run(node, "build.mjs", str(folder)) is not None:
        raise NoEngineError(f"it could not be bundled: see {_short(LOG)}")


def npm(*words: str) -> str | None:
    """Have npm do this in the work folder; an error has its output."""
    return _run(_program("npm"), *words, *NPM, f"--cache={WORK / 'cache'}")


def _run(*command: str) -> str | None:
    """Run a program in the work folder; an error has its output."""
    # npm looks for node on PATH; both are in the same folder
    path = f"{Path(command[0]).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    try:
        done = subprocess.run(
            command,
            cwd=WORK,
            env=os.environ | {"PATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "it took too long"
    with LOG.open("a", encoding="utf-8") as log:
        log.write(f"{' '.join(command)}\n{done.stdout}\n")
    return done.stdout if done.returncode else None


def _program(name: str) -> str:
    """The path of a program: beside this Python, else on PATH."""
    here = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    found = shutil.which(name, path=here)
    if found is None:
        raise NoEngineError(f"{name} is missing")
    return found


def _digest() -> str:
    """A hash of everything that the engine is made from."""
    files = [SOURCES / name for name in (*PACKAGES, "build.mjs")]
    files += sorted((SOURCES / "source").iterdir())
    words = "".join(f"{file.name} {_sha(file)}\n" for file in files)
    return hashlib.sha256(words.encode()).hexdigest()[:16]


def _sha(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _state() -> dict:
    try:
        return json.loads((TARGET / "engine.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


@contextmanager
def alone() -> Iterator[None]:
    """A lock, so that one build runs at a time."""
    with (WORK / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _short(file: Path) -> str:
    return str(file.relative_to(REPORTS.parent))


def _say(line: str) -> None:
    """Print a line with the prefix that both renderers pass on to the terminal."""
    print(f"diskbench: {line}", file=sys.stderr)


if __name__ == "__main__":
    make()
