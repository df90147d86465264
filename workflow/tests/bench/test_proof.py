"""What a run found out is kept whole, with its day, machine and version."""

import json
import re

from bench.proof import Figure, save


def test_a_proof_holds_its_figures_as_they_were_found_and_nothing_of_whose_machine_it_was(tmp_path):
    figures = [
        Figure("Coverage of the mean", 95.1, "%", 94.2, 96.0, "93 to 97 %", True),
        Figure("Ratio to fio", 0.98),
    ]
    path = save("statistics", "Intervals", "bash workflow/bench.sh statistics", figures, tmp_path)
    proof = json.loads(path.read_text(encoding="utf-8"))
    assert [figure["value"] for figure in proof["figures"]] == [95.1, 0.98]
    assert proof["figures"][1]["reached"] is None
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", proof["measured_utc"])
    assert re.fullmatch(r"\w+ \w+, \d+ cores", proof["machine"])
    assert proof["version"] != "unknown"
    assert [file.name for file in tmp_path.iterdir()] == ["statistics.json"]


def test_the_newest_run_of_a_part_takes_the_place_of_the_one_before(tmp_path):
    for value in (1.0, 2.0):
        save("part", "Part", "command", [Figure("a", value)], tmp_path)
    proof = json.loads((tmp_path / "part.json").read_text(encoding="utf-8"))
    assert [figure["value"] for figure in proof["figures"]] == [2.0]
