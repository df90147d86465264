"""The tests that run each line of Python, recorded once by coverage.py.

What a test runs in other programs is the test's as well: these start with coverage.py too, and
pytest names the test in their environment.
"""

import ast
import hashlib
import re
from pathlib import Path

import coverage

# A copy of the project that a test makes has the same lines. What ends a program by force leaves
# nothing of it; SIGTERM does.
SETTINGS = """\
[run]
core = ctrace
data_file = {kept}/{lines}
parallel = true
sigterm = true
context = ${{PYTEST_CURRENT_TEST-}}
include =
    */workflow/scripts/*
    */reports/lib/*
[paths]
scripts =
    {project}/workflow/scripts
    */workflow/scripts
lib =
    {project}/reports/lib
    */reports/lib
"""
LINES = "lines"
# a plugin of pytest, in a folder of its own since nothing else here is to be found by the tests
PLUGIN = Path(__file__).with_name("plugin") / "whose_lines.py"
# the tests of these rooms share what takes long to make: the same as in workflow/tests/conftest.py
TOGETHER = {"publish", "e2e", "mac", "images", "hosted"}


class Ran:
    """Which tests run which lines of the project, as the folder `kept` has it."""

    def __init__(self, kept: Path) -> None:
        self._lines = coverage.CoverageData(str(kept / LINES))
        self._lines.read()
        self._files = self._lines.measured_files()

    def tests(self, project: Path, path: Path, line: int) -> tuple[list[str], bool]:
        """Their functions, as pytest names them, and whether no other test can see a fault there.

        Others can where a line is run before any test, or for several of them: to set something up.
        """
        file = next((one for one in self._files if one.endswith(f"/{path}")), "")
        by_line = self._lines.contexts_by_lineno(file)
        of_statement = range(_first_line(project / path, line), line + 1)
        contexts = {one for number in of_statement for one in by_line.get(number, ())}
        functions = sorted({re.split(r"\[| \(", one)[0] for one in contexts} - {""})
        alone = all(
            one.endswith(" (call)") and Path(one.partition("::")[0]).parent.name not in TOGETHER
            for one in contexts
        )
        return functions, bool(contexts) and alone


def _first_line(path: Path, line: int) -> int:
    """Of the innermost statement that a line belongs to."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    around = (
        node.lineno
        for node in nodes
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0)
    )
    return max(around, default=line)


def environment(kept: Path, project: Path) -> dict[str, str]:
    """What pytest, and all that it starts, need in their environment to record into `kept`."""
    settings = kept / "settings"
    text = SETTINGS.format(kept=kept, lines=LINES, project=project)
    settings.write_text(text, encoding="utf-8")
    return {
        "COVERAGE_PROCESS_START": str(settings),
        "PYTHONPATH": str(PLUGIN.parent),
        # of a test in which this runs
        "PYTEST_CURRENT_TEST": "",
    }


def combine(kept: Path) -> None:
    """Make one file of what all of them recorded."""
    every = coverage.Coverage(config_file=str(kept / "settings"))
    every.combine()
    every.save()


def fingerprint(project: Path) -> str:
    """Of all that decides which tests run a line."""
    told = hashlib.sha256()
    for folder in ("workflow", "reports"):
        for path in sorted((project / folder).rglob("*.py")):
            told.update(f"{path.relative_to(project)}\0".encode() + path.read_bytes() + b"\0")
    return told.hexdigest()[:8]
