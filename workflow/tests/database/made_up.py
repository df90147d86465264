"""Made-up records for tests: valid, signed, and marked by the host slug `made-up-…`. They are no results."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from database.records import checksum, path_of

SIZES_MB = (2, 4, 6, 8, 10, 20, 40, 60, 80, 100, 200, 400, 600, 800, 1000, 2000)
# as the articles name them
CHIPS = {
    "mac-mini-m4-pro": "Apple M4 Pro",
    "mac-studio-m1-max": "Apple M1 Max",
    "macbook-air-m2": "Apple M2",
    "macbook-pro-m1-pro": "Apple M1 Pro",
    "macbook-pro-m3-pro": "Apple M3 Pro",
}
SCALES = {"gold": (10, 1), "half": (5, 1), "tenth": (1, 1), "smoke": (10, 200)}

Record = dict[str, Any]
Time = Callable[[str, int, int], int]


def steady(write_gbps: float, read_gbps: float, per_file_ns: int = 500_000) -> Time:
    """Times without noise: so much for every file, and so much for every byte."""
    speed = {"write": write_gbps, "read": read_gbps}
    return lambda op, order, size: per_file_ns + round(size / speed[op])


def noisy(
    write_gbps: float, read_gbps: float, spread: float = 0.1, per_file_ns: int = 500_000
) -> Time:
    """Times with a noise that is the same on every machine: a saw of `spread` around the steady time."""
    exact = steady(write_gbps, read_gbps, per_file_ns)

    def time(op: str, order: int, size: int) -> int:
        saw = (order * 7919 % 101) / 100 - 0.5
        return round(exact(op, order, size) * (1 + spread * saw))

    return time


def record(time: Time | None = None, **cell: Any) -> Record:
    """A valid record; `cell` replaces parts of its cell's description."""
    time = time or noisy(5.0, 6.0)
    description = {
        "cell_version": 1,
        "host": "made-up-linux",
        "release": "debian-12-6.1.147",
        "protocol": "usage-phases",
        "scale": "gold",
        "storage": "internal",
        "driver": "native",
        "format": "native",
        "encryption": "none",
        "repeat": 1,
        "phase": "fresh",
        "seed": 305419896,
        "sets": 10,
        "sizes_bytes": [],
        "nominal_bytes": 100_000_000_000,
        "io": {"block_bytes": 1_048_576, "cache": "none", "durability": "fsync"},
        "phases": [
            {
                "phase": "fresh",
                "steps": [
                    {"step": "create"},
                    {"step": "detach"},
                    {"step": "measure", "state": "new"},
                    {"step": "attach"},
                    {"step": "write"},
                    {"step": "detach"},
                    {"step": "attach"},
                    {"step": "read"},
                    {"step": "delete", "which": "last-sets", "sets": 8},
                    {"step": "detach"},
                ],
            }
        ],
    } | cell
    sets, divisor = SCALES[description["scale"]]
    description["sets"] = sets
    description["sizes_bytes"] = [megabytes * 1_000_000 // divisor for megabytes in SIZES_MB]
    description["phases"][0]["phase"] = description["phase"]
    os_name, version, build = [*description["release"].split("-"), "0", "0"][:3]
    state = {
        "load_1min_milli": 120,
        "power_source": "unknown",
        "low_power_mode": None,
        "thermal_state": "unknown",
        "free_bytes": 200_000_000_000,
        "memory_available_bytes": 20_000_000_000,
        "memory_pressure": None,
    }
    made = {
        "record_version": 1,
        "harness": {"name": "diskbench-core", "version": "0.1.0", "epoch": 1},
        "status": "measured",
        "reason": None,
        "cell": description,
        "position": 1,
        "planned": 5,
        "started_utc": "2026-11-20T18:48:19Z",
        "finished_utc": "2026-11-20T18:48:25Z",
        "host": {
            "os": {"name": os_name, "version": version, "build": build, "kernel": "Linux 6.1.147"},
            "model": None,
            "chip": CHIPS.get(description["host"], "made-up chip"),
            "architecture": "x86_64",
            "cores": [{"kind": "performance", "count": 2}],
            "memory_bytes": 25_769_803_776,
            "page_bytes": 4096,
            # as the machines that the tests run on; the Macs of the articles are none
            "virtual_machine": description["host"].startswith("made-up"),
            "storage": {
                "device_model": None,
                "bus": "virtio",
                "solid_state": True,
                "size_bytes": 274_877_906_944,
                "file_system": "ext4",
                "encryption": "none",
            },
            "tools": [],
        },
        "conditions": {"before": state, "after": state | {"load_1min_milli": 1200}},
        "warnings": ["load was 1.20 after the cell: something else was running"],
        "cache": {"asked": "none", "reached": "none"},
        "durability": {"asked": "fsync", "reached": "fsync"},
        "ceiling": {
            "write_bytes_per_second": 12_000_000_000,
            "read_bytes_per_second": 15_000_000_000,
            "clock_ns": 63,
        },
        "replayed_phases": [],
        "steps": [
            {"step": "create", "elapsed_ns": 1234, "note": None},
            {"step": "detach", "elapsed_ns": 1, "note": "nothing to detach"},
        ],
        "samples": [
            {
                "op": op,
                "order": order,
                "set": (order - 1) // 16 + 1,
                "size_bytes": size,
                "elapsed_ns": time(op, order, size),
                "slept": False,
            }
            for op in ("write", "read")
            for order, size in enumerate(shuffled(description["sizes_bytes"], sets), start=1)
        ],
        "sizes": [
            {
                "state": "new",
                "allocated_bytes": 4096,
                "apparent_bytes": 0,
                "bands": None,
                "free_bytes": 1,
            }
        ],
    }
    return signed(copy.deepcopy(made))


def facts(**known: Any) -> Record:
    """What is known of an image; the rest is null."""
    keys = (
        *("on_image", "format", "encrypted", "cipher", "key_bits"),
        *("band_bytes", "sector_bytes", "nominal_bytes", "file_system"),
    )
    assert set(known) <= set(keys)
    return {key: known.get(key) for key in keys}


def image(made: Record, **found: Any) -> Record:
    """The image of a record: an apple one as its cell requests it, and what was found of it."""
    cell = made["cell"]
    bits = {"AES-128": 128, "AES-256": 256}.get(cell["encryption"])
    requested = facts(
        on_image=True,
        format=cell["format"],
        encrypted=bits is not None,
        cipher="AES" if bits else None,
        key_bits=bits,
        band_bytes=cell.get("band_bytes"),
        sector_bytes=512,
        nominal_bytes=cell["nominal_bytes"],
        file_system="apfs",
    )
    return {"requested": requested, "effective": requested | found}


def served(made: Record, permitted: bool = True) -> Record:
    """The same record as a Mac leaves it: what was kept quiet, and who served the image at what cost."""
    made = copy.deepcopy(made)
    made["quiet"] = {
        "sleep_prevented": True,
        "qos_class": "user-initiated",
        "io_policy": "important",
        "indexing_off": True,
        "event_log_off": True,
        "backup_off": None,
    }
    made["image"] = image(made, band_bytes=8_388_608, sector_bytes=None)
    made["host"]["storage"]["description"] = "in a case, on a cable of 40 Gb/s"
    made["steps"] = [
        {
            "step": "create",
            "elapsed_ns": 900_000_000,
            "note": None,
            "commands": [
                command("hdiutil", "create -size 100g -type SPARSEBUNDLE -fs APFS <image>", 800),
            ],
        },
        {
            "step": "write",
            "elapsed_ns": 11_000_000_000,
            "note": None,
            "serving": {
                "elapsed_ns": 10_000_000_000,
                "processes": [
                    use(
                        "diskimages-helper", 1, permitted, 2_300_000_000, 1_000_000, 53_300_000_000
                    ),
                    use("diskimagesiod", 2, False),
                ],
            },
        },
        {"step": "read", "elapsed_ns": 9_000_000_000, "note": None},
        {
            "step": "detach",
            "elapsed_ns": 3_000_000_000,
            "note": "busy twice, then forced",
            "commands": [
                command("hdiutil", "info -plist", 40),
                command("hdiutil", "detach disk4", 70, code=16),
                command("hdiutil", "detach disk4", 90, code=16),
                command("hdiutil", "detach disk4 -force", 110),
                command("diskutil", "list", 10_000, end="timed-out", code=None),
                command("sync", "", 5),
            ],
        },
    ]
    for size in made["sizes"]:
        size["volume_free_bytes"] = 99_000_000_000
    return signed(made)


def command(
    program: str, arguments: str, milliseconds: int, end: str = "exited", code: int | None = 0
) -> Record:
    """A program that was run."""
    return {
        "program": program,
        "arguments": arguments.split(),
        "end": end,
        "code": code,
        "elapsed_ns": milliseconds * 1_000_000,
    }


def use(
    name: str, count: int, permitted: bool, cpu_ns: int = 0, read: int = 0, written: int = 0
) -> Record:
    """What the processes of one name used; nothing is known where it is not permitted to look."""
    return {
        "name": name,
        "count": count,
        "permitted": permitted,
        "cpu_ns": cpu_ns if permitted else None,
        "read_bytes": read if permitted else None,
        "written_bytes": written if permitted else None,
        "energy_nj": 5_000_000_000 if permitted else None,
    }


def stand_in(made: Record) -> Record:
    """The same record, of programs that stood in for those of macOS."""
    made = copy.deepcopy(made)
    made["host"]["stand_in"] = True
    return signed(made)


def rounds(made: Record, *speeds: float) -> Record:
    """The same record with a round of writing for each speed (GB/s), counted through, and no reads."""
    made = copy.deepcopy(made)
    one = [sample for sample in made["samples"] if sample["op"] == "write"]
    made["samples"] = [
        sample
        | {
            "order": number * len(one) + sample["order"],
            "elapsed_ns": round(sample["size_bytes"] / speed),
        }
        for number, speed in enumerate(speeds)
        for sample in one
    ]
    return signed(made)


def sized(made: Record, *sizes: tuple[str, int, int | None, int | None]) -> Record:
    """The same record whose image was looked at in these states: bytes on disk, bands, bytes free inside."""
    made = copy.deepcopy(made)
    made["sizes"] = [
        {
            "state": state,
            "allocated_bytes": allocated,
            "apparent_bytes": allocated,
            "bands": bands,
            "free_bytes": 10**12,
            "volume_free_bytes": free,
        }
        for state, allocated, bands, free in sizes
    ]
    return signed(made)


def shuffled(sizes: list[int], sets: int) -> list[int]:
    """The sizes of every set, each set in another order."""
    return [sizes[(place * 7 + number) % 16] for number in range(sets) for place in range(16)]


def without_figures(made: Record, status: str, reason: str) -> Record:
    """The same cell, failed or skipped."""
    made |= {"status": status, "reason": reason, "samples": [], "sizes": [], "steps": []}
    for mode in ("cache", "durability"):
        made[mode]["reached"] = None
    return signed(made)


def signed(made: Record) -> Record:
    """The record with the checksum of its content."""
    return made | {"sha256": checksum(made)}


def save(made: Record, runs: Path) -> Path:
    """Write the record where its cell belongs."""
    path = runs / path_of(made["cell"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(made, indent=1, ensure_ascii=False), encoding="utf-8")
    return path
