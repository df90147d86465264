"""The chosen studies become cells in a seeded order, phases of one image together and in order."""

import hashlib
import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from console import StudyError
from record import cell_id
from study.cells import Machine

CELL_SCHEMA = Path(__file__).resolve().parents[2] / "schemas" / "cell.schema.json"


@pytest.fixture
def ids(cells_of):
    return lambda study, machine: [cell_id(cell) for cell in cells_of(study, machine)]


def test_a_cell_is_what_the_core_reads(study, cells_of, machine):
    validator = Draft202012Validator(json.loads(CELL_SCHEMA.read_text(encoding="utf-8")))
    for cell in cells_of(study, machine):
        validator.validate(cell)


@pytest.mark.parametrize(
    ("image", "key", "size"),
    [("UDSB-AES-256", "band_bytes", 1048576), ("ASIF-none", "block_bytes", 4096)],
)
def test_bands_or_blocks_of_another_size_are_another_image_with_a_path_of_its_own(
    study, ids, cells_of, machine, image, key, size
):
    fmt, encryption = image.split("-", 1)
    # not the driver that `auto` means on this machine
    row = {"driver": "apple", "formats": [fmt], "encryptions": [encryption]}
    study["protocols"] = ["churn"]
    study["matrix"] = [row, row | {key: size}]
    # as the core's Cell::variant names it
    parts = f"{image}-{key.removesuffix('_bytes')}s-{size}"
    assert sorted(ids(study, machine)) == [
        f"some-host/some-os-1-2/churn-smoke/internal/apple/{one}/1/fresh" for one in (parts, image)
    ]
    assert {cell.get(key) for cell in cells_of(study, machine)} == {size, None}


def test_phases_of_one_image_are_together_and_in_order(study, ids, machine):
    study["repeats"] = 3
    order = ids(study, machine)
    for repeat in ("1", "2", "3"):
        places = [
            order.index(
                f"some-host/some-os-1-2/usage-phases-smoke/internal/native/native-none/{repeat}/{phase}"
            )
            for phase in ("fresh", "partly-filled", "emptied")
        ]
        assert places == [places[0], places[0] + 1, places[0] + 2]
    # whole repeats come one after the other; what needs a restart comes last
    repeats = [cell.split("/")[6] for cell in order if "/restart-" not in cell]
    assert repeats == sorted(repeats)


def test_the_order_is_that_of_sha256_of_seed_and_image(study, cells_of, machine):
    def place(protocol):
        words = f"{study['seed']}/{protocol}/internal/native/native-host/1"
        return hashlib.sha256(words.encode()).hexdigest()

    study["matrix"] = [{"driver": "native", "formats": ["native"], "encryptions": ["host"]}]
    planned = list(dict.fromkeys(cell["protocol"] for cell in cells_of(study, machine)))
    assert {"as-created", "churn", "remounted", "usage-phases"} <= {*planned}
    assert planned == sorted(planned, key=place)


def test_what_needs_a_restart_comes_after_everything_else(study, cells_of, machine):
    study["repeats"] = 3
    for seed in range(5):
        study["seed"] = seed
        protocols = [cell["protocol"] for cell in cells_of(study, machine)]
        assert protocols[-3:] == ["restart"] * 3
        assert "restart" not in protocols[:-3]


def test_each_repeat_shuffles_its_files_with_a_seed_of_its_own(study, cells_of, machine):
    study["repeats"] = 2
    seeds = {cell["repeat"]: cell["seed"] for cell in cells_of(study, machine)}
    assert seeds == {1: study["seed"], 2: study["seed"] + 1}


def test_no_protocol_writes_more_than_its_article_did(study, cells_of, machine):
    # "five complete sets of test files" (July 2022), five of ten (27 March 2026)
    study["scale"] = "gold"
    scales = {(c["protocol"], c["scale"], c["sets"]) for c in cells_of(study, machine)}
    assert len({protocol for protocol, *_ in scales}) == len(scales)
    assert scales >= {
        ("as-created", "half", 5),
        ("remounted", "gold", 10),
        ("churn", "gold", 10),
        ("usage-phases", "gold", 10),
        ("restart", "half", 5),
    }


def test_churn_has_the_125_gb_of_its_article_and_tenth_a_tenth(study, cells_of, machine):
    sizes = {}
    for scale in ("gold", "tenth"):
        study["scale"] = scale
        sizes[scale] = {c["protocol"]: c["nominal_bytes"] for c in cells_of(study, machine)}
    assert sizes["gold"]["churn"] == 125_000_000_000
    assert sizes["gold"]["usage-phases"] == 100_000_000_000
    assert sizes["tenth"]["usage-phases"] == 10_000_000_000


@pytest.mark.parametrize("driver", ["apple", "portable"])
def test_auto_becomes_the_driver_of_this_machines_images_and_is_in_no_cell(study, cells_of, driver):
    machine = Machine("some-host", "some-os-1-2", "none", image_driver=driver)
    cells = cells_of(study, machine)
    assert {(cell["format"], cell["driver"]) for cell in cells} == {
        ("native", "native"),
        ("VM", "native"),
        ("UDRW", driver),
        ("UDSP", driver),
        ("UDSB", driver),
        ("ASIF", driver),
    }
    assert all(f"/internal/{cell['driver']}/" in cell_id(cell) for cell in cells)


def test_the_order_of_the_images_does_not_depend_on_the_driver(study, cells_of):
    orders = [
        [
            (cell["protocol"], cell["format"], cell["encryption"], cell["phase"])
            for cell in cells_of(study, Machine("h", "os-1-2", "none", driver))
        ]
        for driver in ("apple", "portable")
    ]
    assert orders[0] == orders[1]


def test_an_image_with_only_its_first_phase_requested_has_no_other(study, cells_of, machine):
    study["study"] = "encryption-2026"
    encrypted = [c for c in cells_of(study, machine) if c["encryption"] == "AES-256"]
    assert encrypted
    for cell in encrypted:
        # else the core would keep the image for phases that never come
        assert [phase["phase"] for phase in cell["phases"]] == [cell["phase"]] == ["fresh"]


def test_an_image_of_several_rows_is_planned_once_with_all_the_phases_that_any_asks_for(
    study, cells_of, machine
):
    row = {"driver": "auto", "formats": ["UDSB"], "encryptions": ["none"]}
    study["protocols"] = ["usage-phases"]
    study["matrix"] = [
        row | {"phases": ["fresh"]},
        row | {"driver": "portable"},
        row | {"phases": ["fresh", "partly-filled"]},
    ]
    cells = cells_of(study, machine)
    assert [cell["phase"] for cell in cells] == ["fresh", "partly-filled", "emptied"]
    assert {len(cell["phases"]) for cell in cells} == {3}


def test_phases_that_are_not_the_first_ones_are_refused(study, cells_of, machine):
    study["protocols"] = ["usage-phases"]
    study["matrix"] = [
        {"driver": "auto", "formats": ["UDSB"], "encryptions": ["none"], "phases": ["emptied"]}
    ]
    with pytest.raises(StudyError) as caught:
        cells_of(study, machine)
    assert "begin with fresh, partly-filled, emptied" in caught.value.line
    assert "\n" not in caught.value.line
