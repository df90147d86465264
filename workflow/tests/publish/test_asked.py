"""Worked questions compare no two speeds that the tables do not compare, and no beta of a release."""

import re

import pytest
from test_between import usual
from test_builds import BETA, FINAL, MAC, MADE, under

from lib.database import query
from lib.examples import EXAMPLES
from proofs.support import macs


def answer(name: str):
    """The measured rows of a question's whole answer."""
    [sql] = [one.sql for one in EXAMPLES if one.name == name]
    whole = re.sub(r"limit \d\d$", "", sql)
    found = query(whole)
    return found[found["basis"] == "measured"] if "basis" in found else found


@pytest.fixture(scope="module")
def unlike(built):
    """A Mac whose raw images with AES-256 were measured in an older epoch, and sooner."""
    records = usual([MAC], MADE)
    for record in records:
        cell = record["cell"]
        older = (cell["format"], cell["encryption"]) == ("UDRW", "AES-256")
        record["harness"]["epoch"] = 2 if older else 3
    return built("unlike", records)


def test_an_image_measured_in_another_way_is_in_no_ranking_and_has_no_cost(unlike, asked):
    asked(unlike)
    ranked = answer("fastest-encrypted")
    assert set(ranked["format"]) == {"UDSB", "ASIF", "UDSP"}
    assert set(answer("encryption-cost")["format"]) == {"UDSB", "ASIF"}


@pytest.mark.parametrize("released", [True, False])
def test_a_beta_answers_only_if_the_release_was_not_measured(built, asked, released):
    made = usual([MAC], MADE)
    builds = [BETA, FINAL] if released else [BETA]
    records = [under(one, build, "11") for build in builds for one in made]
    asked(built(f"beta-{released}", records))
    for name in ("fastest-encrypted", "encryption-cost"):
        assert set(answer(name)["macos"]) == {"27.0" if released else "27.0 beta"}


@pytest.fixture(scope="module")
def churned(built):
    """Images of a Mac that were filled and emptied five times on two disks, in the second run: the first failed."""
    made = [one for one in macs.made([MAC], [MADE]) if one["cell"]["protocol"] == "churn"]
    for record in made:
        record["cell"]["repeat"] = 2
    for record in [*made]:
        sizes = [one | {"allocated_bytes": 10**9} for one in record["sizes"]]
        made.append(record | {"cell": record["cell"] | {"storage": "usb4-980pro"}, "sizes": sizes})
    return built("churned", made)


def test_questions_about_rounds_are_of_every_run_and_protocol_and_mix_no_two_disks(churned, asked):
    asked(churned)
    written = answer("later-files").query("op == 'write'")
    assert list(written["set"]) == list(range(1, 51))
    assert set(answer("my-records")["protocol"]) == {"churn"}
    found = answer("sizes").query("format == 'UDSB' and state == 'compacted'")
    assert dict(zip(found["storage"], found["megabytes"], strict=True)) == {
        "internal": 3900,
        "usb4-980pro": 1000,
    }
    found = answer("rounds")
    assert set(found["format"]) == {"UDSB", "UDRW"}
    assert set(found["repeat"]) == {2}
