"""Faults in the rules of verdicts that once went unseen together: 709 tests of tables passed."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from proofs.planted.stages import stages
from proofs.support import proof

RULES, ANSWERS = (
    Path("workflow/sql/marts/18_verdict_rule.sql"),
    Path("workflow/sql/conclusions/83_conclusion_answers.sql"),
)

# file, what stands there once, what it becomes: two verdicts inverted, eleven tolerances, small
# runs let in, a word that means less
FAULTS = (
    (ANSWERS, "then 'supported'\n        when high", "then 'contradicted'\n        when high"),
    (ANSWERS, "then 'contradicted'\n        else", "then 'supported'\n        else"),
    (RULES, "'same', 0.10,", "'same', 0.20,"),
    (RULES, "('about', 0.20,", "('about', 0.40,"),
    (RULES, "'close', 0.25,", "'close', 0.50,"),
    (RULES, "'half', 0.50,", "'half', 0.25,"),
    (RULES, "('little', 0.10,", "('little', 0.20,"),
    (RULES, "no upper one',\n            0.10", "no upper one',\n            0.20"),
    (RULES, "no difference shown',\n            0.05", "no difference shown',\n            0.10"),
    (
        RULES,
        "what makes them differ',\n            0.10",
        "what makes them differ',\n            0.20",
    ),
    (RULES, "no change shown',\n            0.05", "no change shown',\n            0.10"),
    (
        RULES,
        "(1 + the tolerance): slower',\n            0.10",
        "(1 + the tolerance): slower',\n            0.20",
    ),
    (
        RULES,
        "“least change” decide',\n            0.05",
        "“least change” decide',\n            0.10",
    ),
    (ANSWERS, " and figure.scale <> 'tenth'", ""),
    (RULES, "('similar', 'close',", "('similar', 'half',"),
)


LEAST = 15  # as many as there are faults


def planted(project: Path) -> None:
    """All of them."""
    for name, before, after in FAULTS:
        file = project / name
        text = file.read_text(encoding="utf-8")
        if text.count(before) != 1:
            raise LookupError(f"{file} has not one place for this fault: {before}")
        file.write_text(text.replace(before, after), encoding="utf-8")


def figure() -> proof.Figure:
    """How many of the tests that name these tables fail, of those that pass without the faults."""
    with tempfile.TemporaryDirectory(prefix="diskbench-planted-") as folder:
        copy = Path(folder) / "project"
        subprocess.run(["git", "clone", "--quiet", str(proof.PROJECT), str(copy)], check=True)
        tests = sorted(
            {test for file in (RULES, ANSWERS) for test in next(stages(file, copy)).tests}
        )
        tests = [test for test in tests if test.split("/")[2] == "database"]
        before = _failing(copy, tests)
        planted(copy)
        failing = len(_failing(copy, tests) - before)
    what = f"Tests of the database that fail with {len(FAULTS)} faults planted at once"
    return proof.Figure(what, failing, "tests", goal=f">= {LEAST}", reached=failing >= LEAST)


def _failing(copy: Path, tests: list[str]) -> set[str]:
    words = [
        "-m",
        "pytest",
        "-c",
        "workflow/pytest.ini",
        "--rootdir",
        ".",
        "-q",
        "-rfE",
        "--no-header",
    ]
    command = [sys.executable, *words, "-m", "not slow", *tests]
    told = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False).stdout
    return set(re.findall(r"^(?:FAILED|ERROR) (\S+)", told, re.M))
