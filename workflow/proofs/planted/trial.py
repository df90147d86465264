"""Plants one fault at a time in a copy of the project, and runs the tests that may see it."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from proofs.planted.faults import Fault
from proofs.planted.mutations import changed
from proofs.support.proof import PROJECT

SEEN, UNSEEN, TIMED_OUT, REFUSED = "seen", "not seen", "timed out", "refused by the compiler"
# of one command, on a machine that does other things too
QUICK_SECONDS, SLOW_SECONDS = 1800, 2 * 3600
NO_TESTS = 5  # pytest's exit code
# as many tests as `test.sh` runs at once
AT_ONCE = ("--numprocesses", "3")
# where pytest keeps which tests failed, each by its whole name
LAST_FAILED = "cache/v/cache/lastfailed"

# the folder of tests for a folder of sources that has another name
ROOMS = {"lib": "publish", "sql": "database"}
# a single test of these can take minutes: they are run last
WHOLE = ("e2e", "mac")
# the tests of Python that run the core
CORE_ROOMS = ("mac", "images")


@dataclass(frozen=True)
class Outcome:
    """What became of a fault, and the test that saw it; quick: one of `test.sh`."""

    result: str
    by: str = ""
    quick: bool = True


@dataclass(frozen=True)
class Batch:
    """Batch to run at once: of the core by cargo, or else files of pytest."""

    quick: bool
    files: tuple[str, ...] = ()

    @property
    def cargo(self) -> bool:
        return not self.files


def batches_for(path: Path, project: Path, slow: bool) -> Iterator[Batch]:
    """For a fault in a file: the quick ones, then those that take long."""
    for quick in (True, False) if slow else (True,):
        if path.suffix == ".rs":
            yield Batch(quick)
        yield Batch(quick, tuple(_files(path, project)))


def _files(path: Path, project: Path) -> list[str]:
    """Files of tests that may see a fault in a file, those that name it first."""
    every = sorted((project / "workflow/tests").rglob("test_*.py"))
    every = [test for test in every if "whole" not in test.parts]
    if path.suffix == ".rs":
        chosen = [test for test in every if test.parent.name in CORE_ROOMS]
    else:
        name, rooms = _name(path), {test.parent.name for test in every}
        # what all rooms use is seen where a study is planned
        room = _room(path) if _room(path) in rooms else "study"
        word = re.compile(rf"\b{re.escape(name)}\b")
        naming = {test for test in every if word.search(test.read_text(encoding="utf-8"))}

        def place(test: Path) -> tuple[bool, ...]:
            of = test.parent.name
            return of in WHOLE, test.stem != f"test_{name}", test not in naming, of != room

        chosen = [test for test in every if test in naming or test.parent.name in (room, "e2e")]
        chosen.sort(key=place)
    return [str(test.relative_to(project)) for test in chosen]


def _name(path: Path) -> str:
    """What tests call the module or table of a file."""
    own = path.stem not in ("__init__", "lib", "mod")
    return re.sub(r"^\d+_(stg_)?", "", path.stem if own else path.parent.name)


def _room(path: Path) -> str:
    folder = path.parts[2] if path.parts[:2] == ("workflow", "scripts") else path.parts[1]
    return ROOMS.get(folder.removesuffix(".py"), folder.removesuffix(".py"))


class Copy:
    """A copy of the project at its last commit, in which faults are planted."""

    def __init__(self, folder: Path, slow: bool) -> None:
        self.folder, self.slow = folder, slow
        # not in the copy, where tests would find its path in what they write
        self.temporary = folder.with_name(f"{folder.name}-tmp")
        self.temporary.mkdir(parents=True)
        # whether a test passes where no fault is planted; what fails there sees nothing
        self.sound: dict[str, bool] = {}
        subprocess.run(["git", "clone", "--quiet", str(PROJECT), str(folder)], check=True)
        (folder / ".diskbench").mkdir()
        for shared in (".venv", ".conda", ".diskbench/tools"):
            if (PROJECT / shared).exists():
                (folder / shared).symlink_to(PROJECT / shared)
        # so that only what a fault changes is compiled again
        if (PROJECT / "core/target").is_dir():
            shutil.copytree(PROJECT / "core/target", folder / "core/target", symlinks=True)

    def tried(self, fault: Fault) -> Outcome:
        """Plant a fault, run tests until one sees it, and take the fault out again."""
        late = False
        for batch in batches_for(fault.path, self.folder, self.slow):
            while (found := self._seen(fault, batch)) and found.result == UNSEEN:
                pass  # by a test that fails anyway, which is left out from now on
            if found and found.result == TIMED_OUT:
                late = True
            elif found:
                return found
        return Outcome(TIMED_OUT if late else UNSEEN)

    def _seen(self, fault: Fault, batch: Batch) -> Outcome | None:
        """What these tests say of a fault: nothing where all pass."""
        path = self.folder / fault.path
        text = path.read_text(encoding="utf-8")
        path.write_text(changed(text, fault.mutation), encoding="utf-8")
        try:
            code, said = self._run(batch)
        finally:
            path.write_text(text, encoding="utf-8")
        if code in (0, NO_TESTS):
            return None
        if batch.cargo and "could not compile" in said:
            return Outcome(REFUSED)
        if code is None:
            return Outcome(TIMED_OUT)
        by = self._failed(batch, said)
        return Outcome(SEEN if self._is_sound(batch, by) else UNSEEN, by, batch.quick)

    def _is_sound(self, batch: Batch, test: str) -> bool:
        """Whether a test passes where no fault is planted."""
        if test not in self.sound:
            # a file that cannot be read as tests: whether it can without the fault
            only = (test,) if "::" in test or batch.cargo else ("--collect-only", test)
            self.sound[test] = not test or self._run(batch, *only)[0] == 0
        return self.sound[test]

    def _run(self, batch: Batch, *only: str) -> tuple[int | None, str]:
        """Run tests, or one of them, without those that fail anyway."""
        broken = [test for test, sound in self.sound.items() if not sound and not only]
        seconds = QUICK_SECONDS if batch.quick else SLOW_SECONDS
        if batch.cargo:
            chosen = ["--skip", "slow::"] if batch.quick else ["slow::"]
            chosen += [word for test in broken for word in ("--skip", test)]
            words = ["cargo", "test", "--manifest-path", "core/Cargo.toml", "--locked", "--"]
            return run([*words, *chosen, *only], self.folder, self.temporary, seconds)
        cache = self.temporary / "cache"
        shutil.rmtree(cache, ignore_errors=True)
        words = [sys.executable, "-m", "pytest", "-c", "workflow/pytest.ini", "--rootdir", "."]
        words += ["-q", "--no-header", "-x", "-o", f"cache_dir={cache}", *AT_ONCE]
        words += ["--basetemp", str(self.temporary / "tests")]
        words += [f"--{'deselect' if '::' in test else 'ignore'}={test}" for test in broken]
        chosen = only or ("-m", "not slow" if batch.quick else "slow", *batch.files)
        return run([*words, *chosen], self.folder, self.temporary, seconds)

    def _failed(self, batch: Batch, said: str) -> str:
        """The first test that failed; an empty text where none is named."""
        if batch.cargo:
            found = re.search(r"^test (\S+).* FAILED$", said, re.M)
            return found[1] if found else ""
        kept = self.temporary / LAST_FAILED
        return next(iter(json.loads(kept.read_text(encoding="utf-8"))), "") if kept.exists() else ""


def run(words: list[str], folder: Path, temporary: Path, seconds: float) -> tuple[int | None, str]:
    """A command's exit code, none where its time is up, and its output; all it started ends too."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment |= {"TMPDIR": str(temporary), "PYTHONDONTWRITEBYTECODE": "1"}
    with (
        (temporary / "said").open("w+", encoding="utf-8", errors="replace") as said,
        subprocess.Popen(
            words,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as child,
    ):
        code = None
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = child.wait(seconds)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
        said.seek(0)
        return code, said.read()
