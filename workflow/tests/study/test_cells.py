"""The matrix of the config becomes cells in a seeded order, phases of one image together and in order."""

import hashlib
import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from record import cell_id
from study.cells import Machine, plan_cells

CELL_SCHEMA = Path(__file__).resolve().parents[2] / "schemas" / "cell.schema.json"


def ids(study, protocols, machine):
    return [cell_id(cell) for cell in plan_cells(study, protocols, machine)]


def test_the_shipped_study_has_five_cells_for_each_of_nine_images(study, protocols, machine):
    images = {}
    for cell in plan_cells(study, protocols, machine):
        image = cell["driver"], cell["format"], cell["encryption"]
        images.setdefault(image, []).append((cell["protocol"], cell["phase"]))
    assert set(images) == {("native", "native", "none")} | {
        ("portable", fmt, encryption)
        for fmt in ("UDRW", "UDSP", "UDSB", "ASIF")
        for encryption in ("none", "AES-256")
    }
    for phases in images.values():
        assert sorted(phases) == [
            ("as-created", "fresh"),
            ("remounted", "fresh"),
            ("usage-phases", "emptied"),
            ("usage-phases", "fresh"),
            ("usage-phases", "partly-filled"),
        ]


def test_a_cell_is_what_the_core_reads(study, protocols, machine):
    validator = Draft202012Validator(json.loads(CELL_SCHEMA.read_text(encoding="utf-8")))
    for cell in plan_cells(study, protocols, machine):
        validator.validate(cell)


def test_a_cells_id_is_its_records_path(study, protocols, machine):
    assert (
        "some-host/some-os-1-2/usage-phases-smoke/internal/native/native-none/1/partly-filled"
        in ids(study, protocols, machine)
    )


def test_phases_of_one_image_stand_together_and_in_order(study, protocols, machine):
    study["repeats"] = 3
    order = ids(study, protocols, machine)
    for repeat in ("1", "2", "3"):
        places = [
            order.index(
                f"some-host/some-os-1-2/usage-phases-smoke/internal/native/native-none/{repeat}/{phase}"
            )
            for phase in ("fresh", "partly-filled", "emptied")
        ]
        assert places == [places[0], places[0] + 1, places[0] + 2]


def test_the_order_is_that_of_sha256_of_seed_and_image(study, protocols, machine):
    def place(protocol):
        words = f"{study['seed']}/{protocol}/internal/native/native-host/1"
        return hashlib.sha256(words.encode()).hexdigest()

    study["matrix"] = study["matrix"][:1]
    by_hand = sorted(["as-created", "remounted", "usage-phases"], key=place)
    planned = [cell["protocol"] for cell in plan_cells(study, protocols, machine)]
    assert list(dict.fromkeys(planned)) == by_hand


def test_another_seed_gives_another_order(study, protocols, machine):
    orders = set()
    for seed in range(20):
        study["seed"] = seed
        orders.add(tuple(ids(study, protocols, machine)))
    assert len(orders) > 1


def test_whole_repeats_come_one_after_the_other(study, protocols, machine):
    study["repeats"] = 3
    repeats = [cell["repeat"] for cell in plan_cells(study, protocols, machine)]
    assert repeats == sorted(repeats)


def test_each_repeat_shuffles_its_files_with_a_seed_of_its_own(study, protocols, machine):
    study["repeats"] = 2
    seeds = {cell["repeat"]: cell["seed"] for cell in plan_cells(study, protocols, machine)}
    assert seeds == {1: study["seed"], 2: study["seed"] + 1}


def test_tenth_has_no_later_phases(study, protocols, machine):
    study["scale"] = "tenth"
    assert {cell["phase"] for cell in plan_cells(study, protocols, machine)} == {"fresh"}


@pytest.mark.parametrize("encryption", ["none", "FileVault"])
def test_a_native_cell_says_how_the_machines_own_disk_is_encrypted(study, protocols, encryption):
    machine = Machine("some-host", "some-os-1-2", encryption, image_driver="portable")
    cells = plan_cells(study, protocols, machine)
    assert {c["encryption"] for c in cells if c["driver"] == "native"} == {encryption}
    assert {c["encryption"] for c in cells if c["driver"] != "native"} == {"none", "AES-256"}


@pytest.mark.parametrize("driver", ["apple", "portable"])
def test_auto_becomes_the_driver_of_this_machines_images_and_stands_in_no_cell(
    study, protocols, driver
):
    machine = Machine("some-host", "some-os-1-2", "none", image_driver=driver)
    cells = plan_cells(study, protocols, machine)
    assert {(cell["format"], cell["driver"]) for cell in cells} == {
        ("native", "native"),
        ("UDRW", driver),
        ("UDSP", driver),
        ("UDSB", driver),
        ("ASIF", driver),
    }
    assert all(f"/internal/{cell['driver']}/" in cell_id(cell) for cell in cells)


def test_the_order_of_the_images_is_the_same_whoever_serves_them(study, protocols):
    orders = [
        [
            (cell["protocol"], cell["format"], cell["encryption"], cell["phase"])
            for cell in plan_cells(study, protocols, Machine("h", "os-1-2", "none", driver))
        ]
        for driver in ("apple", "portable")
    ]
    assert orders[0] == orders[1]


def test_a_driver_that_is_named_is_the_one_that_is_planned(study, protocols, machine):
    study["matrix"] = [{"driver": "apple", "formats": ["UDSB"], "encryptions": ["AES-128"]}]
    cells = plan_cells(study, protocols, machine)
    assert {(cell["driver"], cell["encryption"]) for cell in cells} == {("apple", "AES-128")}
