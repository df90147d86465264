"""Two builds of one version of macOS, a beta and its release: pages show the release."""

import copy

import pytest
from rendered import text

from lib import answers, basis, encryption, explorer
from lib.database import query
from lib.releases import changes, pair
from proofs.support import macs

MAC = "mac-mini-m4-pro"
EARLIER, BETA, FINAL = "macos-26.4-25E246", "macos-27.0-26A5300", "macos-27.0-26A344"


def of_the_release(record: dict) -> dict:
    """The same cell a month later, under the release; sparse bundles take three times as long."""
    made = copy.deepcopy(record)
    made["cell"]["release"] = FINAL
    made["host"]["os"]["build"] = FINAL.rpartition("-")[2]
    made["started_utc"] = made["started_utc"].replace("-11-01", "-12-01")
    made["finished_utc"] = made["finished_utc"].replace("-11-01", "-12-01")
    for sample in made["samples"]:
        sample["elapsed_ns"] *= 3 if made["cell"]["format"] == "UDSB" else 1
    return made


@pytest.fixture(scope="module")
def builds(built):
    found = [
        one
        for one in macs.made([MAC], [EARLIER, BETA])
        if (one["cell"]["protocol"], one["cell"]["phase"]) == ("usage-phases", "fresh")
    ]
    later = [of_the_release(one) for one in found if one["cell"]["release"] == BETA]
    return built("builds", found + later)


@pytest.fixture(autouse=True)
def of_builds(builds, asked):
    asked(builds)


def test_the_start_page_answers_from_the_release():
    assert basis.newest().first["release"] == FINAL


def test_the_answer_names_the_image_of_each_speed_where_two_are_as_fast():
    # in this world sparse bundles of the release are slow, so that RAW and ASIF are left
    said = text(answers.lead(basis.newest()))
    assert "use RAW or ASIF.** RAW writes " in said


def test_each_speed_of_a_version_is_that_of_the_release():
    both = query("select distinct release, newest_build from comparable_speed order by all")
    assert list(both.itertuples(index=False, name=None)) == [
        (EARLIER, True),
        (FINAL, True),
        (BETA, False),
    ]
    shown = query("select origin from known_speed where macos = '27.0'")["origin"]
    assert len(shown) == 16
    assert all(FINAL in origin for origin in shown)


def test_the_explorer_has_the_verdict_about_the_release():
    keys = ["format", "encryption", "op", "earlier", "later"]
    rows = explorer._changes()
    assert not rows.duplicated(keys).any()
    bundle = rows[(rows["format"] == "UDSB") & (rows["encryption"] == "none")]
    assert set(bundle["change"]) == {"slower"}


def test_the_newest_change_is_that_to_the_release_and_names_both_builds():
    rows = changes.pairs()
    first = rows[rows["later_release"] == rows["later_release"].iloc[0]]
    assert pair.heading(first) == "From macOS 27.0 (26A5300) to 27.0 (26A344)"
    assert pair.summary(first).startswith("Between macOS 27.0 (26A5300) and 27.0 (26A344), of ")
    before = pair.heading(rows[rows["later_release"] == BETA])
    assert before == "From macOS 26.4 to 27.0 (26A5300)"


def test_the_costs_of_encryption_begin_with_the_release():
    assert encryption.costs()["release"].iloc[0] == FINAL
