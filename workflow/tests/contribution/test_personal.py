"""Personal data is found in any text of a record, and harmless texts are accepted."""

import json
import time

import pytest
from sent import SCHEMA, changed, deep, found, record, save

import personal

# texts that are in real records and tell of nobody
HARMLESS = [
    "Darwin Kernel Version 25.4.0: Tue Mar 10 2026; root:xnu-12377.101.15~1/RELEASE_ARM64_T6041",
    "APPLE SSD AP0512Z", "Samsung 980 Pro 2 TB, USB4 case", "hdiutil", "26.3.1", "25D2128",
    "create -size 100g -type SPARSEBUNDLE -fs APFS <image>", "Apple M4 Pro", "disk4", "/System/Volumes/Data",
    "load was 1.20 at 18:48:19: something else was running", "2026-05-20T18:48:19Z",
]  # fmt: skip
NO_TEXT = ("integer", "boolean")
PERSONAL = {
    "a home folder": [
        "/Users/jane/bench",
        "in /home/jane/x",
        "/Volumes/Jane/bench",
        "/users/jane/bench",
        "/run/media/jane/disk",
    ],
    "a mail address": ["jane.doe@example.org"],
    "an IP address": ["192.168.1.20", "fe80::1c2d:3eff:fe4a:5b6c", "2001:db8:0:0:0:0:0:1"],
    "a hardware address": ["a4:83:e7:12:34:56"],
    "the id of a device": ["7C1B2D3E-1234-4ABC-9DEF-0123456789AB"],
    "a serial number": ["C02XK1ZZJGH5", "H2WHW1ABCD", "serial: 1234"],
    "a person's name": ["Jane's MacBook", "Jane’s Mac mini"],  # noqa: RUF001
}


@pytest.mark.parametrize(("what", "text"), [(a, b) for a, many in PERSONAL.items() for b in many])
def test_personal_data_is_found_in_any_text(folder, what, text):
    bad = deep(("host", "storage", "description"), f"my disk {text}")(record(20, repeat=2))
    save(bad, folder)
    report, kinds = found(folder)
    assert kinds == {"personal"}
    assert report.findings[0].what.startswith(f"{what}: ")


@pytest.mark.parametrize("part", ["a", "a.", "a-b@", "serial ", "serial a ", "1:", "A1", "a's "])
def test_a_long_text_is_searched_in_a_time_that_grows_as_its_length(part):
    # in seconds where it is one step for each letter, in minutes where it is one for each two of them
    text = part * (100_000 // len(part))
    begun = time.process_time()
    list(personal.found({"warning": text}))
    assert time.process_time() - begun < 5


def test_samples_are_not_searched_and_have_no_free_text():
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]
    sample = schema["Sample"]
    assert sample["additionalProperties"] is False
    texts = {key for key, of in sample["properties"].items() if of.get("type") not in NO_TEXT}
    assert texts == {"op"}
    assert [one["const"] for one in schema["Op"]["oneOf"]] == ["write", "read"]


@pytest.mark.parametrize(
    "model", ["CT1000P3SSD8", "WDS100T3X0C-00SJG0", "SAMSUNG MZVL21T0HCLR-00B00"]
)
def test_a_disks_model_may_look_like_a_serial_number(folder, model):
    save(deep(("host", "storage", "device_model"), model)(record(20, repeat=2)), folder)
    report, _ = found(folder)
    assert report.findings == []


def test_harmless_texts_are_accepted(folder):
    for number, text in enumerate(HARMLESS):
        save(changed(warnings=[text])(record(10 + number, repeat=number + 5)), folder)
    report, _ = found(folder)
    assert report.findings == []
