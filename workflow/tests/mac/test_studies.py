"""All studies on simulated releases of macOS, and a guest's own disk over a restart."""

import json
from itertools import pairwise

import pytest
from stand_in import RELEASES, StandInMac

import vocabulary
from study.machine import facts

# The first with ASIF, the oldest, and the newest. What differs between the others is in the core's stand_in/releases.rs.
STUDIED = [
    "26",
    pytest.param(RELEASES[0], marks=pytest.mark.slow),
    pytest.param(RELEASES[-1], marks=pytest.mark.slow),
]


@pytest.fixture(scope="module", params=STUDIED)
def studied(request, target, memory):
    """A Mac after all studies, its cells with their records, and how each call ended."""
    mac = StandInMac(memory / f"macos-{request.param}", target, request.param)
    ended = []
    for cell in mac.plan():
        done = mac.run(cell)
        ended.append((cell, done, mac.record(cell)))
    return mac, ended


def test_every_cell_ends_measured_or_skipped_with_what_to_do(studied):
    mac, ended = studied
    assert {cell["protocol"] for cell, _, _ in ended} == set(vocabulary.PROTOCOLS)
    for cell, done, record in ended:
        assert done.returncode == 0, done.stderr
        lacks = cell["format"] == "VM" or (cell["format"] == "ASIF" and mac.macos == RELEASES[0])
        assert record["status"] == ("skipped" if lacks else "measured"), record["reason"]
        if cell["format"] == "ASIF" and lacks:
            assert f"macOS {mac.macos} cannot create ASIF images" in record["reason"]
            assert "macOS 26 or later" in record["reason"]
        if cell["format"] == "VM":
            assert "study=vm-2026" in record["reason"]


def test_records_are_complete_and_say_that_no_mac_was_measured(studied):
    mac, ended = studied
    checked = mac.verify()
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.strip() == f"{len(ended)} records checked, 0 damaged"
    for cell, _, record in ended:
        assert record["host"]["stand_in"] is True
        assert record["host"]["os"]["version"].split(".")[0] == mac.macos
        if record["status"] == "measured":
            files = {
                op: [s for s in record["samples"] if s["op"] == op] for op in ("write", "read")
            }
            (phase,) = (phase for phase in cell["phases"] if phase["phase"] == cell["phase"])
            steps = [step["step"] for step in phase["steps"]]
            each = cell["sets"] * len(cell["sizes_bytes"])
            assert len(files["write"]) == each * steps.count("write")
            assert len(files["read"]) == each * steps.count("read")


def test_the_study_knows_the_mac_by_what_its_records_say_of_it(studied, monkeypatch):
    mac, ended = studied
    for name, value in mac.environment().items():
        monkeypatch.setenv(name, value)
    known = facts()
    assert set(known) == {"model", "chip", "memory_bytes"}
    for _, _, record in ended:
        assert {name: record["host"][name] for name in known} == known


def test_nothing_stays_attached_and_no_file_is_left(studied):
    mac, _ = studied
    assert mac.attached() == []
    assert mac.left_over() == []


def test_the_record_lists_every_program_without_path_or_passphrase(studied):
    mac, ended = studied
    for cell, _, record in ended:
        if record["status"] != "measured" or cell["driver"] != "apple":
            continue
        text = json.dumps(record)
        assert str(mac.folder) not in text
        commands = [command for step in record["steps"] for command in step.get("commands", [])]
        steps = {step["step"]: step.get("commands", []) for step in record["steps"]}
        words = {
            name: {word for one in ran for word in one["arguments"]} for name, ran in steps.items()
        }
        assert "attach" in words.get("attach", words.get("create"))
        assert words["detach"] & {"detach", "eject"}
        assert cell["phase"] != "fresh" or "create" in words["create"]
        assert all(command["elapsed_ns"] > 0 for command in commands)


def test_images_are_as_large_as_they_are_and_have_as_many_bands(studied):
    _, ended = studied
    bundles = [
        record["sizes"]
        for cell, _, record in ended
        if cell["driver"] == "apple" and cell["protocol"] == "churn" and cell["format"] == "UDSB"
    ]
    (sizes,) = bundles
    states = {size["state"]: size for size in sizes}
    assert states["churned"]["bands"] > states["new"]["bands"]
    assert states["compacted"]["bands"] < states["churned"]["bands"]
    assert all(size["volume_free_bytes"] is not None for size in sizes)


def test_the_phases_of_an_image_are_measured_one_after_the_other_without_repeating_any(studied):
    _, ended = studied
    measured = [(cell, record) for cell, _, record in ended if record["status"] == "measured"]
    assert all(record["replayed_phases"] == [] for _, record in measured)
    for (before, _), (after, _) in pairwise(measured):
        if after["phase"] == "partly-filled":
            assert (before["phase"], before["format"]) == ("fresh", after["format"])


# see also core, tests/program/restart.rs
def test_a_name_of_the_start_that_is_not_told_at_once_is_asked_for_again(folder, target):
    guest = StandInMac(folder / "guest", target, "26", ["--mac", "guest"])
    (cell,) = [cell for cell in guest.plan("vm-2026") if cell["format"] == "VM"]
    for code in (8, 0):
        guest.order("hang kern.bootsessionuuid", 1)
        done = guest.run(cell)
        assert done.returncode == code, done.stderr
        guest.restart()
    assert guest.record(cell)["status"] == "measured"
    assert guest.left_over() == []
