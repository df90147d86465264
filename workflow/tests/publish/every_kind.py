"""A few records of every kind: two releases of a Mac, a stand-in, a small machine at smoke scale."""

import random
from collections.abc import Iterator
from typing import Any

from proofs.support.records import Record, command, quiet, rounds, samples, size, step, use
from proofs.support.records import record as record_of
from study.scales import SIZES_BYTES

PHASES = ("fresh", "partly-filled", "emptied")
SPEEDS = {"none": 8.0, "AES-256": 1.6}  # GB/s, of the made-up images
DAYS = {"12": "2026-04-01", "26.3.1": "2026-04-02", "26.4": "2026-04-03", "27.0": "2026-03-31"}
ROUNDS = {"UDSB": (1.0, 0.95, 0.9, 0.9, 0.85), "UDRW": (1.0, 1.0, 0.6, 0.55, 0.5)}
# of the made-up native files, that our own images reach
SHARE = {"native": 1.0, "UDRW": 1.0, "UDSP": 0.9, "UDSB": 0.85, "ASIF": 0.8}
WARM = (
    "0.27 GB of the 0.27 GB that were read had not been dropped from memory: "
    "these reads may be memory's"
)
FAILURE = "the volume <vanished> & did not come back"


def records() -> Iterator[Record]:
    """Every record of it, in the same order and with the same bytes each time."""
    for host, release in (
        ("mac-mini-m4-pro", "macos-26.3.1-25D2128"),
        ("mac-mini-m4-pro", "macos-26.4-25E246"),
    ):
        for form in ("UDSB", "UDRW", "ASIF"):
            for encryption in SPEEDS:
                for phase in PHASES:
                    record = _record(host, release, "gold", "apple", form, encryption, phase)
                    # the older release was measured before records knew of it
                    yield _served(record) if "26.4" in release else record
    # beside them a second storage, repeat and scale, and another protocol
    newest = ("mac-mini-m4-pro", "macos-26.4-25E246")
    for other in (
        {"storage": "usb4-980pro"},
        {"repeat": 2},
        {"scale": "half", "sets": 5},
        {"protocol": "remounted"},
    ):
        record = _record(*newest, "gold", "apple", "UDSB", "none", "fresh")
        record["cell"] |= other
        record["samples"] = [
            one for one in record["samples"] if one["set"] <= record["cell"]["sets"]
        ]
        record["sizes"][0]["allocated_bytes"] = 777_000_000
        yield record
    yield from (
        _churned(_served(_record(*newest, "gold", "apple", form, "none", "fresh")))
        for form in ROUNDS
    )
    other_bands = _served(_record(*newest, "gold", "apple", "UDSB", "none", "fresh"))
    other_bands["cell"]["band_bytes"] = 1 << 20
    yield other_bands
    stand_in = ("stand-in-mac-mini-m4-pro", "macos-27.0-26A5", "smoke")
    for form in ("UDSB", "ASIF"):
        record = _served(_record(*stand_in, "apple", form, "AES-256", "fresh"), permitted=False)
        record["host"]["stand_in"] = True
        yield record
    small = ("linux-box", "debian-12-6.1", "smoke")
    for phase in PHASES:
        yield _record(*small, "native", "native", "none", phase)
        for form in ("UDRW", "UDSP", "UDSB", "ASIF"):
            for encryption in SPEEDS:
                yield _used(_record(*small, "portable", form, encryption, phase))
    # reads that may be memory's, and an image without a native cell beside it
    for driver, form in (("native", "native"), ("portable", "UDSB")):
        record = _record(*small, driver, form, "none", "fresh")
        record["cell"]["protocol"] = "as-created"
        record["warnings"] = [WARM]
        yield record
    record = _record(*small, "portable", "ASIF", "AES-256", "fresh")
    record["cell"]["protocol"] = "remounted"
    yield record


def _used(record: Record) -> Record:
    """The sizes of an image that is filled, emptied, and in the end compacted."""
    bundle = record["cell"]["format"] == "UDSB"
    states = {
        "fresh": {"new": 5, "filled": 300, "partly-emptied": 70},
        "partly-filled": {"refilled": 340, "emptied": 20},
        "emptied": {"filled-again": 300, "emptied-again": 20, "compacted": 8 if bundle else 20},
    }[record["cell"]["phase"]]
    record["sizes"] = [
        size(
            state,
            megabytes * 1_000_000,
            megabytes * 1_000_000,
            -(-megabytes // 8) if bundle else None,
            99_000_000_000,
        )
        for state, megabytes in states.items()
    ]
    return record


def _served(record: Record, permitted: bool = True) -> Record:
    """As a Mac leaves it: the programs that were run, what served the image, what was kept quiet."""
    encrypted = record["cell"]["encryption"] != "none"
    total = sum(sample["size_bytes"] for sample in record["samples"] if sample["op"] == "write")
    record["quiet"] = quiet(backup=record["cell"]["phase"] == "fresh" or None)
    record["host"]["storage"]["description"] = "as delivered, “2 TB” & 40 % full"
    excluded = command(
        "tmutil",
        "isexcluded <image>",
        12_000 if encrypted else 300,
        *(("timed-out", None) if encrypted else ()),
    )
    detached = [
        command("hdiutil", "info -plist", 40),
        command("hdiutil", "detach disk4", 70, code=16),
        command("hdiutil", "detach disk4 -force" if encrypted else "detach disk4", 110),
        excluded,
    ]
    record["steps"] = [
        _step("attach", commands=[command("hdiutil", "attach -plist -nobrowse <image>", 900)]),
        _step("write", serving=_serving(permitted, 260 if encrypted else 120, 0, total)),
        _step("detach", commands=detached),
        _step("read", serving=_serving(permitted, 230 if encrypted else 90, total, 0)),
    ]
    for one in record["sizes"]:
        one["volume_free_bytes"] = 99_100_000_000
    return record


def _step(name: str, **more: Any) -> Record:
    return step(name, 20_000_000_000, **more)


def _serving(permitted: bool, permille: int, read: int, written: int) -> Record:
    """A process of which that much of a core is known, and one that may not be looked at."""
    return {
        "elapsed_ns": 20_000_000_000,
        "processes": [
            use("diskimagesiod", 1, permitted, permille * 20_000_000, read, written),
            use("storagekitd", 2, False),
        ],
    }


def _churned(record: Record) -> Record:
    """Five rounds of writing instead of one, the later ones slower."""
    record["cell"]["protocol"] = "churn"
    once = [sample for sample in record["samples"] if sample["op"] == "write"]
    shares = ROUNDS[record["cell"]["format"]]
    record["samples"] = rounds(
        once, [lambda sample, share=share: sample["elapsed_ns"] / share for share in shares]
    )
    bundle = record["cell"]["format"] == "UDSB"
    states = {
        "new": (0.0148, 2),
        "churned": (104.08, 12_408),
        "emptied": (1.12, 135),
        "compacted": (1.06, 128),
    }
    record["sizes"] = [
        size(
            state,
            int(gigabytes * 1e9),
            125_000_000_000,
            bands if bundle else None,
            900_000_000_000,
            volume_free_bytes=124_660_000_000 - (103_000_000_000 if state == "churned" else 0),
        )
        for state, (gigabytes, bands) in states.items()
    ]
    return record


def _record(host, release, scale, driver, form, encryption, phase) -> Record:
    """A record as the core writes it, its times made up: an overhead and a slope with some noise."""
    dice = random.Random(f"{host}{release}{form}{encryption}{phase}")
    sizes = [size // (200 if scale == "smoke" else 1) for size in SIZES_BYTES]
    version = release.split("-")[1]
    fails = (form, encryption, phase, version) == ("ASIF", "AES-256", "emptied", "26.4")
    speed = SPEEDS.get(encryption, 4) * (SHARE[form] if driver != "apple" else 1)
    files = {
        op: [
            (size, int(30_000 + size / speed * dice.uniform(0.9, 1.2)))
            for _ in range(10)
            for size in dice.sample(sizes, len(sizes))
        ]
        for op in (() if fails else ("write", "read"))
    }
    new = size("new", 32_000_000, 100_000_000_000, None, 99_000_000_000)
    state = {"low_power_mode": None, "memory_pressure": None}
    return record_of(
        {
            "status": "failed" if fails else "measured",
            "reason": FAILURE if fails else None,
            "cell": {
                "host": host,
                "release": release,
                "scale": scale,
                "driver": driver,
                "format": form,
                "encryption": encryption,
                "phase": phase,
                "seed": 1,
                "sizes_bytes": sizes,
            },
            "started_utc": f"{DAYS[version]}T10:00:00Z",
            "finished_utc": f"{DAYS[version]}T10:05:00Z",
            "host": {
                "model": "synthetic" if host.startswith("mac") else "small machine",
                "chip": "made-up chip",
            },
            "conditions": {"before": state, "after": state},
            "warnings": ["load was 1.20 before the cell: something else was running"],
            "steps": [step("write", 1_234)],
            "samples": [one for op, made in files.items() for one in samples(op, made)],
            "sizes": [new] if phase == "fresh" else [],
        }
    )
