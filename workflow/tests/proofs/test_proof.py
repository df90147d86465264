"""Figures are saved atomically, with date, machine and version."""

import json
import re

import pytest

from proofs.support import proof
from proofs.support.goals import at_most
from proofs.support.proof import Figure, save
from record import HARNESS_EPOCH


def test_a_proof_holds_its_figures_as_they_were_found_and_nothing_of_whose_machine_it_was(tmp_path):
    figures = [
        Figure("Coverage of the mean", 95.1, "%", 94.2, 96.0, "93 to 97 %", True),
        Figure("Ratio to fio", 0.98),
    ]
    path = save("statistics", "Intervals", "bash workflow/prove.sh statistics", figures, tmp_path)
    proof = json.loads(path.read_text(encoding="utf-8"))
    assert [figure["value"] for figure in proof["figures"]] == [95.1, 0.98]
    assert proof["figures"][1]["reached"] is None
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", proof["measured_utc"])
    assert re.fullmatch(r"\w+ \w+, \d+ cores", proof["machine"])
    assert proof["version"] != "unknown"
    assert proof["level"] == 0.95
    assert [file.name for file in tmp_path.iterdir()] == ["statistics.json"]


def test_only_figures_of_the_harness_are_kept_with_its_epoch(tmp_path):
    def keys(**asked):
        return json.loads(save("part", "Part", "command", [], tmp_path, **asked).read_text())

    assert "epoch" not in keys()
    assert keys(of_the_harness=True)["epoch"] == HARNESS_EPOCH


def test_rounds_are_kept_as_their_median_with_its_interval_and_the_verdict_on_the_goal():
    # by ranks: of nine from the second lowest to the second highest
    figure = proof.over_rounds("time", [9, 1, 2, 3, 4, 5, 6, 7, 8], "s", at_most(8))
    assert figure == Figure("time", 5, "s", 2, 8, "<= 8", True)
    assert proof.over_rounds("time", [9, 1, 2, 3, 4], "s", at_most(99)).reached is None
    assert proof.over_rounds("time", [1.0] * 9).reached is None


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["61", "--save"], "bash x.sh 61 --save"),
        # whose folder that is
        (["61", "/home/somebody/disk"], "bash x.sh 61 FOLDER"),
        (["--folder=/Users/somebody"], "bash x.sh --folder=FOLDER"),
        (["/dev/shm", "."], "bash x.sh /dev/shm ."),
    ],
)
def test_the_command_is_what_was_typed_but_for_whose_folder_it_was(words, shown):
    assert proof.typed("bash x.sh", words) == shown


def test_what_is_kept_names_the_command_that_was_typed(monkeypatch):
    monkeypatch.setattr(proof, "version", lambda: "v1")
    kept = {}
    monkeypatch.setattr(proof, "save", lambda part, _, command, *more: kept.update({part: command}))
    for words in (["--save"], []):
        proof.show(proof.arguments("fio").parse_args(words), "fio", "Against fio", [])
    assert kept == {"fio": "bash workflow/prove.sh fio --save"}
