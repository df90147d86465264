"""prove.sh contains each proof by its name, and only proofs import proofs."""

import re
import shutil
import subprocess
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
        ("--save", "fio"),
        ("fleet_scale",),
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


def test_no_script_of_a_study_imports_a_proof():
    scripts = list((WORKFLOW / "scripts").rglob("*.py"))
    assert len(scripts) > 50
    imports = re.compile(r"^\s*(?:import|from) (?:proofs|tests)\b", re.M)
    found = [path for path in scripts if imports.search(path.read_text(encoding="utf-8"))]
    assert found == []
