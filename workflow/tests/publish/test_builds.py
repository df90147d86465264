"""A beta and its release: pages answer from the release, and name the beta as what it is."""

import copy

import pytest
from rendered import Tables, text

from lib import answers, basis, coverage, encryption, explorer, status, words
from lib.database import query
from lib.releases import by_host, drawn
from proofs.support import macs

MAC = "mac-mini-m4-pro"
EARLIER, MADE = "macos-26.4-25E246", "macos-27.0-26A5300"
BETA, FINAL = "macos-27.0-26A5300a", "macos-27.0-26A344"


def under(record: dict, release: str, month: str, times: int = 1) -> dict:
    """The same cell under a build, in that month; sparse bundles take so many times as long."""
    made = copy.deepcopy(record)
    made["cell"]["release"] = release
    made["host"]["os"]["build"] = release.rpartition("-")[2]
    for end in ("started_utc", "finished_utc"):
        made[end] = made[end].replace("-11-01", f"-{month}-01")
    for sample in made["samples"]:
        sample["elapsed_ns"] *= times if made["cell"]["format"] == "UDSB" else 1
    return made


@pytest.fixture(scope="module")
def builds(built):
    found = [
        one
        for one in macs.made([MAC], [EARLIER, MADE])
        if (one["cell"]["protocol"], one["cell"]["phase"]) == ("usage-phases", "fresh")
    ]
    earlier = [one for one in found if one["cell"]["release"] == EARLIER]
    made = [one for one in found if one["cell"]["release"] == MADE]
    # by a clock that was wrong, the beta ran after the release
    beta = [under(one, BETA, "12") for one in made]
    final = [under(one, FINAL, "11", times=3) for one in made]
    return built("builds", earlier + beta + final)


@pytest.fixture(autouse=True)
def of_builds(builds, asked):
    asked(builds)


def test_pages_answer_from_the_release():
    assert basis.newest().first["release"] == FINAL
    assert encryption.costs()["release"].iloc[0] == FINAL
    assert "(macOS 26.4 to 27.0)" in text(status.strip())


def test_the_answer_names_the_image_of_each_speed_where_two_are_as_fast():
    # in this world sparse bundles of the release are slow, so that RAW and ASIF are left
    said = text(answers.lead(basis.newest()))
    assert "use RAW (read-write, UDRW) or ASIF.** RAW writes " in said


def test_the_explorer_has_the_verdict_about_the_release():
    keys = ["format", "encryption", "op", "earlier", "later"]
    rows = explorer._changes()
    assert not rows.duplicated(keys).any()
    bundle = rows[(rows["format"] == "UDSB") & (rows["encryption"] == "none")]
    bundle = bundle[bundle["later"] == "27.0"]
    assert set(bundle["earlier"]) == {"26.4", "27.0 beta"}
    assert set(bundle["change"]) == {"slower"}


def test_a_measured_beta_stands_before_its_release():
    rows = by_host.every()
    measured = rows[rows["basis"] == "measured"]
    assert drawn.labels(measured) == ["26.4", "27.0 beta", "27.0"]
    verdicts = measured[measured["macos"] == "27.0"].set_index(["format", "encryption", "op"])
    assert verdicts["change"]["UDSB", "none", "write"] == "slower"
    assert verdicts["earlier"]["UDSB", "none", "write"] == "26.4"
    # of images to which 26.4 gives no verdict
    assert set(verdicts["earlier"].dropna()) == {"26.4", "27.0 beta"}


def test_coverage_has_a_column_for_the_betas_before_their_release():
    head, *_ = Tables(text(coverage.matrix(coverage.releases()))).tables["table-coverage-macos"]
    assert head == ["Host", "macOS 27.0", "macOS 27.0 beta", "macOS 26.4"]


def test_a_build_is_called_a_beta_where_the_database_does():
    for build in ("26A5300a", "25E5207k", "24A12345b", "25D771280a", "26A344", "22A8380"):
        [name] = query("select macos_name('27.0', $build) as name", build=build)["name"]
        said = words.release(f"macos-27.0-{build}")
        assert said.startswith("macOS 27.0 beta (") == name.endswith(" beta"), build
