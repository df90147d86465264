"""The plan of each study."""

import csv
from pathlib import Path

import pytest

from console import ExitCode, StudyError
from study.cells import Machine
from study.config import read_protocol
from study.studies import chosen, storages_of
from vocabulary import PROTOCOLS

PUBLISHED = Path(__file__).resolve().parents[3] / "data" / "published"
THREE = ("fresh", "partly-filled", "emptied")


@pytest.fixture
def planned(study, cells_of, machine):
    """What a study plans: (protocol, format, encryption) -> its phases."""

    def plan(slug, on=machine, **changes):
        study.update(changes, study=slug)
        images = {}
        for cell in cells_of(study, on):
            image = cell["protocol"], cell["format"], cell["encryption"]
            images.setdefault(image, []).append(cell["phase"])
        return {image: tuple(phases) for image, phases in images.items()}

    return plan


def values(table, column):
    """The values of a column of a table of published figures."""
    with (PUBLISHED / table).open(encoding="utf-8", newline="") as rows:
        return {row[column] for row in csv.DictReader(rows)} - {""}


def test_there_is_a_study_for_each_article_that_published_speeds(study):
    articles = values("speeds.csv", "article")
    assert len(articles) >= 5
    assert set(study["studies"]) == articles
    assert [one.slug for one in chosen(study)] == list(study["studies"])


def test_the_studies_that_conclusions_name_exist(study):
    # pages tell to run them
    assert values("conclusions.csv", "study") <= set(study["studies"])


def test_each_protocol_is_of_an_article_and_measured_by_a_study(study):
    articles = {name: read_protocol(name)["article"] for name in PROTOCOLS}
    assert set(articles.values()) <= values("articles.csv", "article")
    assert {name for one in study["studies"].values() for name in one["protocols"]} == {*articles}


def test_slow_writes_2022_is_every_image_that_disk_utility_then_made_for_writing(planned):
    assert planned("slow-writes-2022") == {
        ("as-created", fmt, encryption): ("fresh",)
        for fmt, encryption in [
            ("native", "none"),
            ("UDSB", "none"),
            ("UDRW", "none"),
            ("UDSP", "none"),
            ("UDRW", "AES-256"),
            ("UDSP", "AES-256"),
        ]
    }


def test_performance_2024_is_three_formats_plain_and_encrypted(planned):
    assert planned("performance-2024") == {("remounted", "native", "none"): ("fresh",)} | {
        ("remounted", fmt, encryption): ("fresh",)
        for fmt in ("UDRW", "UDSP", "UDSB")
        for encryption in ("none", "AES-256")
    }


def test_bands_2024_is_a_sparse_bundle_and_a_read_write_image(planned):
    assert planned("bands-2024") == {
        ("churn", "UDSB", "none"): ("fresh",),
        ("churn", "UDRW", "none"): ("fresh",),
    }


def test_encryption_2026_is_three_tests_of_plain_images_and_test_1_of_encrypted_ones(planned):
    # Unencrypted all three tests, encrypted the first (March 2026, Methods, paragraph 4)
    assert planned("encryption-2026") == (
        {("usage-phases", fmt, "none"): THREE for fmt in ("native", "UDRW", "UDSB", "ASIF")}
        | {("usage-phases", fmt, "AES-256"): ("fresh",) for fmt in ("UDRW", "UDSP", "UDSB", "ASIF")}
    )


def test_vm_2026_is_a_guest_and_on_the_host_the_disk_and_two_encrypted_images(planned):
    assert planned("vm-2026") == {
        ("restart", "VM", "none"): ("fresh",),
        ("usage-phases", "native", "none"): ("fresh",),
        ("usage-phases", "UDRW", "AES-256"): ("fresh",),
        ("usage-phases", "ASIF", "AES-256"): ("fresh",),
    }


def test_vm_2026_in_a_guest_is_that_guest_alone(planned):
    guest = Machine("virtual-mac", "macos-26-4", "FileVault", "apple", guest=True)
    assert planned("vm-2026", on=guest) == {("restart", "VM", "FileVault"): ("fresh",)}


def test_all_is_every_study_and_each_cell_of_several_once(study, planned):
    together = planned("all")
    each = [planned(slug) for slug in study["studies"]]
    assert set(together) == set().union(*each)
    for image, phases in together.items():
        assert phases == max((one.get(image, ()) for one in each), key=len)


def test_a_study_that_is_not_known_is_refused_with_the_known_ones(study):
    study["study"] = "encription-2026"
    with pytest.raises(StudyError) as caught:
        chosen(study)
    assert caught.value.code == ExitCode.BAD_INPUT
    assert caught.value.line == (
        "unknown study 'encription-2026' (did you mean 'encryption-2026'?): "
        f"use one of all, {', '.join(study['studies'])}, none"
    )


def test_several_studies_are_asked_for_by_a_list(study):
    study["study"] = ["vm-2026", "bands-2024"]
    assert [one.slug for one in chosen(study)] == ["bands-2024", "vm-2026"]


def test_study_none_plans_nothing_and_is_no_mistake(planned):
    assert planned("none") == {}


def test_protocols_that_are_given_replace_those_of_the_chosen_study(planned):
    assert planned("bands-2024", protocols=["remounted"]) == {
        ("remounted", "UDSB", "none"): ("fresh",),
        ("remounted", "UDRW", "none"): ("fresh",),
    }


def test_a_matrix_that_is_given_replaces_that_of_the_chosen_study(planned):
    row = {"driver": "portable", "formats": ["ASIF"], "encryptions": ["AES-128"]}
    assert planned("performance-2024", matrix=[row]) == {
        ("remounted", "ASIF", "AES-128"): ("fresh",)
    }


def test_only_the_disk_of_a_guest_is_measured_by_protocols_that_restart(planned):
    rows = [
        {"driver": "native", "formats": ["native", "VM"], "encryptions": ["host"]},
        {"driver": "auto", "formats": ["ASIF"], "encryptions": ["none"]},
    ]
    images = planned("all", matrix=rows)
    assert {image[1] for image in images if image[0] == "restart"} == {"VM"}
    assert {image[0] for image in images if image[1] == "VM"} == {"restart"}


def test_a_study_without_a_cell_is_refused(planned):
    with pytest.raises(StudyError) as caught:
        planned("bands-2024", protocols=["restart"])
    assert caught.value.code == ExitCode.BAD_INPUT
    assert "study bands-2024 has no cell here" in caught.value.line
    assert "\n" not in caught.value.line


@pytest.mark.parametrize(
    ("asked", "there", "measured_on"),
    [
        (["internal"], ["internal", "usb"], ["internal"]),
        (["external"], ["internal", "usb", "thunderbolt"], ["usb", "thunderbolt"]),
        (["usb"], ["internal", "usb", "thunderbolt"], ["usb"]),
        # an article's external disk is not at hand everywhere
        (["external"], ["internal"], ["internal"]),
        (["internal"], ["usb"], ["usb"]),
    ],
)
def test_a_row_is_measured_on_its_storage_or_where_there_is_none_on_what_there_is(
    asked, there, measured_on
):
    assert storages_of({"storages": asked}, there) == measured_on


def test_with_an_external_disk_each_study_uses_the_storage_of_its_article(study, cells_of, machine):
    study["storage"].append({"slug": "usb4", "folder": "/somewhere"})
    stated = {
        "slow-writes-2022": {"internal"},
        "performance-2024": {"internal", "usb4"},
        "bands-2024": {"usb4"},
        "encryption-2026": {"internal"},
        "vm-2026": {"internal"},
    }
    for study["study"], storages in stated.items():
        assert {cell["storage"] for cell in cells_of(study, machine)} == storages


def test_every_row_says_which_words_it_comes_from_or_why_it_is_ours(study):
    for one in study["studies"].values():
        for row in one["matrix"]:
            assert row.get("quote") or row.get("ours")
