"""The start page's recommendations follow the runs and tolerances of `verdict_rule`."""

import pandas as pd
import pytest
from rendered import text

from lib import answers, basis
from lib import changed as page
from proofs.support import macs


@pytest.fixture
def ruled(published_only, changed):
    """The published figures under another tolerance of the start page."""

    def make(rule: str, tolerance: float):
        rules = f"comparison = 'start page' and rule = '{rule}'"
        return changed(
            published_only, f"update verdict_rule set tolerance = {tolerance} where {rules}"
        )

    return make


def test_formats_are_about_equal_by_the_tolerance_of_the_table(ruled, asked):
    # encrypted: ASIF writes 1.72 GB/s and RAW 1.58, 8 % less
    for tolerance, taken in ((0.10, ["ASIF", "UDRW"]), (0.05, ["ASIF"])):
        asked(ruled("about equal", tolerance))
        coded = basis.newest().coded
        single = coded[coded["format"] != "UDSB"]
        assert list(answers.equals(single)["format"]) == taken


def test_formats_are_fast_enough_by_the_tolerance_of_the_table(ruled, asked):
    # not encrypted: RAW writes 10.11 GB/s, ASIF 9.55 and a sparse bundle 7.62, a quarter less
    for tolerance, taken in (
        (0.50, "use any of RAW, ASIF and sparse bundle"),
        (0.10, "RAW or ASIF"),
    ):
        asked(ruled("fast enough", tolerance))
        assert taken in text(answers.lead(basis.newest()))


def test_published_speeds_change_by_the_tolerance_of_the_table(ruled, asked):
    # ASIF, encrypted, writes 1.76 GB/s after 1.72: 2.3 % more
    for tolerance, told in (
        (0.10, "by at most 2.3 %, less than the 10 % that counts here"),
        (0.01, "by up to 2.3 %"),
    ):
        asked(ruled("published change", tolerance))
        assert told in text(page.table(basis.newest()))


@pytest.mark.parametrize(
    ("doubts", "told"),
    [
        ("26.4: as before", "Caveat for 26.4: as before"),
        ("26.3.1 (a): as before; 26.4: too", "Caveat for 26.3.1 (a): as before; 26.4: too"),
        ("a figure is rounded", "Caveat: a figure is rounded"),
    ],
)
def test_a_caveat_names_its_release_once(doubts, told):
    assert page._caveat(doubts) == told


# Intervals


def figures(*written) -> pd.DataFrame:
    """Formats by speed of writing: name, GB/s, and the interval across runs."""
    return pd.DataFrame(written, columns=["format", "write_gbps", "write_low", "write_high"])


def alike(*written) -> list[str]:
    return list(answers.equals(figures(*written))["format"])


def test_formats_whose_intervals_meet_are_recommended_together(published_only, asked):
    asked(published_only)
    fastest = ("ASIF", 2.0, 1.5, 2.5)
    # a fifth and two fifths slower
    assert alike(fastest, ("UDRW", 1.6, 1.4, 1.8)) == ["ASIF", "UDRW"]
    assert alike(fastest, ("UDRW", 1.2, 1.0, 1.4)) == ["ASIF"]
    # what lies between them by its mean and not by its interval is left out
    between = ("UDSB", 1.4, 1.39, 1.41)
    assert alike(fastest, between, ("UDRW", 1.3, 1.0, 1.6)) == ["ASIF", "UDRW"]


def test_what_may_be_within_the_tolerance_is_about_equal(published_only, asked):
    asked(published_only)
    assert alike(("ASIF", 2.0, 1.99, 2.01), ("UDRW", 1.7, 1.58, 1.82)) == ["ASIF", "UDRW"]
    assert alike(("ASIF", 2.0, 1.99, 2.01), ("UDRW", 1.7, 1.62, 1.78)) == ["ASIF"]


# Runs, and guests


MINI = "mac-mini-m4-pro"
NEWEST = "macos-27.0-26A5300"
FAST = {("ASIF", "AES-256"): 2.0}  # ASIF takes half its time, by chance


def world(repeats, faster=None) -> list[dict]:
    """New images of one Mac under macOS 27.0, in as many runs as `repeats` says."""
    found = []
    for record in macs.made([MINI], [NEWEST]):
        cell = record["cell"]
        if (cell["protocol"], cell["phase"]) != ("usage-phases", "fresh"):
            continue
        image = (cell["format"], cell["encryption"])
        if cell["repeat"] > repeats.get(image, repeats["others"]):
            continue
        for sample in record["samples"]:
            sample["elapsed_ns"] = round(sample["elapsed_ns"] / (faster or {}).get(image, 1))
        found.append(record)
    return found


@pytest.fixture(scope="module")
def one_run(built):
    """A Mac in one run, and a guest in the three that a verdict needs."""
    guests = world({"others": 3}, FAST)
    for record in guests:
        record["cell"]["host"] = "a-guest"
        record["host"]["virtual_machine"] = True
    return built("one-run", world({"others": 1}, FAST) + guests)


def test_neither_a_single_run_nor_a_guest_recommends_anything(one_run, asked):
    asked(one_run)
    base = basis.newest()
    assert not base.measured
    lead = text(answers.lead(base))
    assert "use a sparse bundle" in lead
    assert "Encrypted on macOS 27" not in lead


def test_what_a_single_run_measured_is_said_to_be_of_one_run_and_no_verdict(one_run, asked):
    asked(one_run)
    lead = text(answers.lead(basis.newest()))
    assert "For Mac mini M4 Pro, macOS 27.0, there are [figures](" in lead
    assert "of 1 run of 160 files, but no verdict: that needs 3 runs of each image" in lead


def test_a_format_of_too_few_runs_is_recommended_beside_none(built, asked):
    others = {("UDSB", "none"), ("UDSB", "AES-256"), ("UDRW", "none"), ("UDRW", "AES-256")}
    records = world({"others": 3, ("ASIF", "AES-256"): 2}, FAST)
    # a third format that has all of its runs with and without encryption
    for record in world({"others": 3}):
        if record["cell"]["format"] in ("UDSP", "ASIF") and record["cell"]["encryption"] == "none":
            record["cell"]["format"] = "UDSP"
            records.append(record)
    asked(built("two-runs", records))
    base = basis.newest()
    assert base.measured
    shown = set(zip(base.rows["format"], base.rows["encryption"], strict=True))
    assert shown == others | {("UDSP", "none"), ("UDSP", "AES-256"), ("ASIF", "none")}
    assert "Encrypted on macOS 27: use a sparse bundle" in text(answers.lead(base))


def test_three_runs_recommend_and_are_what_n_counts(built, asked):
    asked(built("three-runs", world({"others": 3}, FAST)))
    base = basis.newest()
    lead = text(answers.lead(base))
    assert "**Encrypted on macOS 27: use ASIF.**" in lead
    assert "no verdict" not in lead
    # the interval is across runs: n is three of them, each of 10 sets of 16 files
    assert "measured, 3 runs of 160 files)" in lead
    assert "480 files" not in lead
