"""Refusals of a system are on the page of hosts.

The core's own tests force each refusal and keep what the record then says in `core/diskbench-core/tests/fallbacks.json`;
the records here say the very same.
"""

import copy
import json
from pathlib import Path

import made_up
import pytest
from rendered import Tables, linked, text
from rendered import words as in_words

from lib import hosts
from lib.database import connect
from proofs.support import macs

KEPT = Path(__file__).parents[3] / "core/diskbench-core/tests/fallbacks.json"
FALLBACKS = json.loads(KEPT.read_text(encoding="utf-8"))
LIMIT = {
    "write_bytes_per_second": 12_000_000_000,
    "read_bytes_per_second": 15_000_000_000,
    "clock_ns": 41,
}
WHOLE = {
    "null_write_bytes_per_second": 400_000_000_000,
    "null_read_bytes_per_second": 900_000_000_000,
    "content_bytes_per_second": 7_500_000_000,
}
NEAR = (
    "writing was nearly as fast as the harness without a disk: the figures are those of the "
    "harness and of memory, and show only that the disk is not slower"
)


def records() -> list[dict]:
    """One cell for each refusal, its repeats, and one that is as fast as the harness itself."""
    plain = next(
        record
        for record in macs.made()
        if record["status"] == "measured" and record["cell"]["format"] == "native"
    )
    plain = copy.deepcopy(plain) | {"warnings": [], "quiet": None}
    del plain["quiet"]
    plain["ceiling"] = LIMIT | WHOLE
    plain.pop("sha256", None)
    made = []
    for repeat, told in enumerate([*FALLBACKS, None], start=1):
        record = copy.deepcopy(plain)
        record["cell"]["repeat"] = repeat
        if told is None:
            record |= {"warnings": [NEAR], "warning_codes": ["near-limit"]}
            for sample in record["samples"]:
                if sample["op"] == "write":
                    sample["elapsed_ns"] = round(sample["size_bytes"] / 10)  # 10 of 12 GB/s
        else:
            stated = ("cache", "durability", "warnings", "warning_codes")
            record |= {key: told[key] for key in stated}
            record |= {"quiet": told["quiet"]} if told["quiet"] else {}
            for sample in record["samples"][: told["slept_files"]]:
                sample["slept"] = True
        made.append(record)
    return made


@pytest.fixture(scope="module")
def fallbacks(built) -> Path:
    """The database of those records."""
    return built("fallbacks", records())


@pytest.fixture
def page(fallbacks, asked) -> str:
    """The sections of the page of hosts."""
    asked(fallbacks)
    return text(hosts.sections())


def lines(page: str, kind: str) -> list[str]:
    parsed = Tables(page)
    [name] = [name for name in parsed.tables if name and name.startswith(f"table-{kind}-")]
    return [" | ".join(row) for row in parsed.tables[name]]


def behind(page: str, part: str) -> list[tuple]:
    """The rows that the page links to with a query that has this part."""
    [sql] = [sql for sql in linked(page) if part in sql]
    return connect().execute(sql).fetchall()


def test_the_warnings_of_each_refusal_are_on_the_page(page):
    shown = lines(page, "warnings")
    for told in FALLBACKS:
        assert told["warnings"], told["name"]
        for warning in told["warnings"]:
            assert [line for line in shown if warning in line], (told["name"], warning)


def test_what_was_asked_for_and_not_reached_is_the_reason_beside_the_cell_s_speeds(page):
    told = in_words(page)
    for key, shown in (
        ("cache", "cache mode not effective"),
        ("durability", "durability not effective"),
    ):
        other = any(one[key]["asked"] != one[key]["reached"] for one in FALLBACKS)
        assert (shown in told) == other, shown
    assert "the machine slept" in told


def test_noise_suppression_and_the_cost_of_the_harness_are_in_the_rows_behind_the_page(page):
    [row] = [row for row in behind(page, "from quiet") if "throttle" in row]
    assert "background" in row
    assert row.count(False) == 4  # awake, Spotlight, event log, Time Machine
    costs = behind(page, "ceiling_null_write_gbps")
    assert {row[4:] for row in costs} == {(12, 15, 400, 900, 7.5, 41)}
    assert {row[1] for row in costs} == {"write", "read"}


def test_a_speed_near_the_harness_s_own_is_warned_of_and_not_compared(page):
    assert [line for line in lines(page, "warnings") if NEAR in line]
    assert "near the harness\u2019s limit" in in_words(page)
    assert "reached 80 % or more of the harness\u2019s own limit" in in_words(page)


def test_free_space_and_load_of_many_cells_are_one_line_each_and_of_many_warnings_some_are_shown(
    built, asked
):
    said = [
        ["only 1.50 GB were free: nearly full disks are slower"],
        ["only 12.25 GB were free: nearly full disks are slower"],
        ["load was 3.10 before the cell: something else may have been running"],
        ["load was 5.00 before the cell: something else may have been running"],
        [f"warning {number} of many" for number in range(1_000)],
    ]
    made = [
        made_up.record(repeat=repeat) | {"warnings": warnings}
        for repeat, warnings in enumerate(said, start=1)
    ]
    asked(built("many-warnings", made))
    page = text(hosts.sections())
    shown = lines(page, "warnings")
    assert "only 1.50 to 12.25 GB were free: nearly full disks are slower | 2" in "\n".join(shown)
    assert "load was 3.10 to 5.00 before the cell" in "\n".join(shown)
    assert sum("of many" in line for line in shown) == 98
    assert "warnings: 1,002 kinds" in page
    assert "And 902 kinds more." in page


def test_of_a_protocol_that_only_writes_no_read_is_counted(built, asked):
    churned = made_up.rounds(made_up.record(scale="smoke", protocol="churn"), 5.0, 4.0)
    asked(built("churned", [churned]))
    said = "1 of 1 speeds is not comparable: smoke scale (1)"
    assert said in in_words(text(hosts.sections()))
