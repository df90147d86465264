"""prove.sh contains each proof by its name, and only proofs import proofs."""

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

WORKFLOW = Path(__file__).resolve().parents[2]
PROOFS = WORKFLOW / "proofs"
HEAD = (WORKFLOW / "prove.sh").read_text(encoding="utf-8").partition("set -euo")[0]
NAMES = re.findall(r"^#   ([a-z-]+) {2,}\S", HEAD, re.M)


def prove(*words: str) -> subprocess.CompletedProcess:
    """The script without any program: what needs more than the shell fails."""
    return subprocess.run(
        [shutil.which("bash"), WORKFLOW / "prove.sh", *words],
        env={"PATH": ""},
        capture_output=True,
        text=True,
    )


def test_the_help_names_every_proof_that_there_is():
    files = [*PROOFS.glob("[a-z]*.py"), *PROOFS.glob("*.sh"), *PROOFS.glob("*/__init__.py")]
    names = {path.stem if path.parent == PROOFS else path.parent.name for path in files}
    assert {name.replace("_", "-") for name in names} == set(NAMES)
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_each_has_a_help_of_its_own_on_one_screen(name):
    done = prove(name, "1", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert 3 <= len(lines) <= 30
    assert lines[0].strip()
    assert re.search(rf"^Usage: bash workflow/prove\.sh {name}\b", done.stdout, re.M)


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("nosuch",),
        ("--save", "fio"),
        ("fio images",),
        ("fleet_scale",),
        ("support",),
        ("a\nb",),
    ],
)
def test_any_other_word_is_refused_with_the_names_of_all_proofs(words):
    done = prove(*words)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("diskbench: ")
    assert line.endswith(", ".join(NAMES))
    if words:
        assert f"'{words[0].replace(chr(10), ' ')}' is no benchmark or test" in line


def imported(source: str) -> Iterator[str]:
    """The modules that a source imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def of_proofs(source: str) -> list[str]:
    """Those of its imports that no script may have."""
    return [name for name in imported(source) if name.partition(".")[0] in ("proofs", "tests")]


def test_no_script_of_a_study_imports_a_proof():
    scripts = list((WORKFLOW / "scripts").rglob("*.py"))
    assert len(scripts) > 50
    found = {str(path): of_proofs(path.read_text(encoding="utf-8")) for path in scripts}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "source",
    ["import proofs", "from proofs.support import goals", "def f():\n    import proofs.fio as fio"],
)
def test_an_import_of_a_proof_is_found_anywhere(source):
    assert of_proofs(source)


def test_other_imports_are_not_taken_for_one():
    assert not of_proofs("import study\nimport proofs_of_life\nfrom . import proofs\n")
