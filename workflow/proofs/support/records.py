"""Makes valid synthetic records of any content.

Nothing in it was measured: a machine's model or slug says so wherever it may reach a page.
"""

import copy
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from record import checksum, path_of
from study.scales import SIZES_BYTES

Record = dict[str, Any]

# A native cell of a Mac, as the core describes it.
_USUAL: Record = {
    "record_version": 1,
    "harness": {"name": "diskbench-core", "version": "0.1.0", "epoch": 1},
    "status": "measured",
    "reason": None,
    "cell": {
        "cell_version": 1,
        "host": "made-up-mac",
        "release": "macos-26.4-25E246",
        "protocol": "usage-phases",
        "scale": "gold",
        "storage": "internal",
        "driver": "native",
        "format": "native",
        "encryption": "none",
        "repeat": 1,
        "phase": "fresh",
        "seed": 20260323,
        "sets": 10,
        "sizes_bytes": list(SIZES_BYTES),
        "nominal_bytes": 100_000_000_000,
        "io": {"block_bytes": 1_048_576, "cache": "none", "durability": "fsync"},
        "phases": [{"phase": "fresh", "steps": [{"step": "write"}, {"step": "read"}]}],
    },
    "position": 1,
    "planned": 40,
    "started_utc": "2026-05-20T10:00:00Z",
    "finished_utc": "2026-05-20T10:05:00Z",
    "host": {
        "os": {"kernel": "Darwin 25.4.0"},
        "model": "synthetic Mac",
        "chip": "Apple M4 Pro",
        "architecture": "arm64",
        "cores": [{"kind": "performance", "count": 10}, {"kind": "efficiency", "count": 4}],
        "memory_bytes": 48_000_000_000,
        "page_bytes": 16_384,
        "virtual_machine": False,
        "storage": {
            "device_model": None,
            "bus": "apple-fabric",
            "solid_state": True,
            "size_bytes": 2_000_000_000_000,
            "file_system": "apfs",
            "encryption": "none",
        },
        "tools": [],
    },
    "conditions": {
        when: {
            "load_1min_milli": 120,
            "power_source": "ac",
            "low_power_mode": False,
            "thermal_state": "nominal",
            "free_bytes": 900_000_000_000,
            "memory_available_bytes": 9_000_000_000,
            "memory_pressure": "normal",
        }
        for when in ("before", "after")
    },
    "warnings": [],
    "cache": {"asked": "none", "reached": "none"},
    "durability": {"asked": "fsync", "reached": "fsync"},
    "ceiling": {
        "write_bytes_per_second": 12_000_000_000,
        "read_bytes_per_second": 15_000_000_000,
        "clock_ns": 41,
    },
    "replayed_phases": [],
    "steps": [],
    "samples": [],
    "sizes": [],
}


def record(*changes: Record) -> Record:
    """The usual record with these changes: objects are merged, all else is replaced; unsigned."""
    made = copy.deepcopy(_USUAL)
    for one in changes:
        made = merged(made, copy.deepcopy(one))
    cell = made["cell"]
    name, version, build = [*cell["release"].split("-"), "0", "0"][:3]
    made["host"]["os"] |= {"name": name, "version": version, "build": build}
    if len(cell["phases"]) == 1:
        cell["phases"][0]["phase"] = cell["phase"]
    return made


def merged(old: Record, new: Record) -> Record:
    both = {
        key: value
        for key, value in old.items()
        if isinstance(value, dict) and isinstance(new.get(key), dict)
    }
    return old | new | {key: merged(value, new[key]) for key, value in both.items()}


def samples(op: str, files: Iterable[tuple[int, int]], sets: int = 10) -> list[Record]:
    """Files written or read, in their order: bytes and nanoseconds of each; a round has `sets`."""
    return [
        {
            "op": op,
            "order": order,
            "set": (order - 1) // len(SIZES_BYTES) % sets + 1,
            "size_bytes": size,
            "elapsed_ns": time,
            "slept": False,
        }
        for order, (size, time) in enumerate(files, start=1)
    ]


def size(
    state: str, allocated: int, apparent: int, bands: int | None, free: int, **inside: int | None
) -> Record:
    """The size of an image in a state; `inside`: `volume_free_bytes`, if measured."""
    return {
        "state": state,
        "allocated_bytes": allocated,
        "apparent_bytes": apparent,
        "bands": bands,
        "free_bytes": free,
    } | inside


def step(name: str, elapsed_ns: int, note: str | None = None, **more: Any) -> Record:
    """A step that was done; `more`: `commands`, `serving`."""
    return {"step": name, "elapsed_ns": elapsed_ns, "note": note} | more


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
    known = {
        "cpu_ns": cpu_ns,
        "read_bytes": read,
        "written_bytes": written,
        "energy_nj": 7_500_000_000,
    }
    return {"name": name, "count": count, "permitted": permitted} | (
        known if permitted else dict.fromkeys(known)
    )


def quiet(image: bool | None = True, backup: bool | None = None) -> Record:
    """What a Mac kept quiet; `image`: what is tried only where there is one."""
    return {
        "sleep_prevented": True,
        "qos_class": "user-initiated",
        "io_policy": "important",
        "indexing_off": image,
        "event_log_off": image,
        "backup_off": backup,
    }


def signed(made: Record) -> Record:
    """The record with the checksum of its content."""
    return made | {"sha256": checksum(made)}


def save(made: Record, runs: Path) -> Path:
    """Write the record where its cell belongs, signed."""
    path = runs / path_of(made["cell"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(signed(made), ensure_ascii=False), encoding="utf-8")
    return path
