"""A study as it may look some years on: five made-up Macs, four releases of macOS, gold scale.

It shows how pages read when there is much to show. Nothing in it was measured: every machine's
model says `synthetic`, so that each page made from it is marked. It is never kept as results.

`python workflow/tests/publish/macs.py FOLDER` writes its records to FOLDER, to look at.
"""

import hashlib
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(PROJECT / "workflow" / "scripts"))

from record import path_of  # noqa: E402  (found through the line above)

SIZES_MB = [2, 4, 6, 8, 10, 20, 40, 60, 80, 100, 200, 400, 600, 800, 1000, 2000]
PHASES = ("fresh", "partly-filled", "emptied")
# release -> day it is measured on, and how much of the plain speed encrypted images keep in it
RELEASES = {
    "macos-15.6-24G84": ("2026-01-10", 0.55),
    "macos-26.3.1-25D2128": ("2026-04-02", 0.17),
    "macos-26.4-25E246": ("2026-05-20", 0.17),
    "macos-27.0-26A5300": ("2026-11-01", 0.45),
}
WRITE = {"native": 7.6, "UDSB": 7.4, "UDRW": 9.6, "ASIF": 9.2, "UDSP": 2.0}  # GB/s, made up
READ = {"native": 6.5, "UDSB": 6.1, "UDRW": 6.0, "ASIF": 5.9, "UDSP": 2.2}
# state of a UDSB image -> allocated GB and bands of 8 MiB
SPACE = {
    "new": (0.032, 4),
    "filled": (53.4, 6_366),
    "partly-emptied": (12.1, 1_443),
    "refilled": (64.3, 7_666),
    "emptied": (3.2, 382),
    "filled-again": (55.1, 6_569),
    "emptied-again": (3.99, 476),
    "compacted": (3.9, 465),
    "churned": (104.08, 12_408),
}
STATES = {
    ("usage-phases", "fresh"): ("new", "filled", "partly-emptied"),
    ("usage-phases", "partly-filled"): ("refilled", "emptied"),
    ("usage-phases", "emptied"): ("filled-again", "emptied-again", "compacted"),
    ("churn", "fresh"): ("new", "churned", "emptied", "compacted"),
    ("remounted", "fresh"): ("new", "filled"),
    ("as-created", "fresh"): ("filled",),
}
ROUNDS = {"churn": (1.0, 0.97, 0.94, 0.92, 0.9)}


@dataclass(frozen=True)
class Mac:
    """A made-up machine: `speed` is its storage's, `crypto` its processor's, against the first."""

    slug: str
    model: str
    chip: str
    cores: tuple[int, int]
    memory_gb: int
    speed: float
    crypto: float


MACS = (
    Mac("mac-mini-m4-pro", "Mac mini", "Apple M4 Pro", (10, 4), 48, 1.0, 1.0),
    Mac("mac-studio-m1-max", "Mac Studio", "Apple M1 Max", (8, 2), 32, 0.93, 0.8),
    Mac("macbook-pro-m3-pro", "MacBook Pro", "Apple M3 Pro", (6, 6), 36, 0.9, 0.95),
    Mac("macbook-pro-m1-pro", "MacBook Pro", "Apple M1 Pro", (8, 2), 32, 0.85, 0.78),
    Mac("macbook-air-m2", "MacBook Air", "Apple M2", (4, 4), 16, 0.45, 0.85),
)


@dataclass(frozen=True)
class Cell:
    """What tells the cells of one machine and release apart."""

    protocol: str
    form: str
    encryption: str
    phase: str = "fresh"
    scale: str = "gold"
    storage: str = "internal"
    repeat: int = 1


def records() -> Iterator[dict]:
    """Every record of the made-up study, in the same order and with the same bytes each time."""
    for number, mac in enumerate(MACS):
        for release in RELEASES:
            # the last two Macs joined later, and the laptop without a fan did not do everything
            if number >= 3 and release < "macos-26.4":
                continue
            for cell in _cells(mac):
                yield _record(mac, release, cell)


def _cells(mac: Mac) -> Iterator[Cell]:
    usage = [("native", "FileVault"), ("UDSB", "none"), ("UDRW", "none"), ("ASIF", "none")]
    for form, encryption in usage:
        for phase in PHASES:
            yield Cell("usage-phases", form, encryption, phase)
    for form in ("UDSB", "UDRW", "ASIF", "UDSP"):
        yield Cell("usage-phases", form, "AES-256")
    # three runs of each new image, which verdicts need
    for repeat in (2, 3):
        for form, encryption in usage:
            yield Cell("usage-phases", form, encryption, repeat=repeat)
        for form in ("UDSB", "UDRW", "ASIF", "UDSP"):
            yield Cell("usage-phases", form, "AES-256", repeat=repeat)
    if mac.slug == "macbook-air-m2":
        return
    pairs = [(form, code) for form in ("UDSB", "UDRW", "UDSP") for code in ("none", "AES-256")]
    storages = ("internal", "usb4-980pro") if mac.slug == "mac-studio-m1-max" else ("internal",)
    for storage in storages:
        for form, encryption in [("native", "FileVault"), *pairs]:
            yield Cell("remounted", form, encryption, storage=storage)
    for form, encryption in [("native", "FileVault"), *pairs]:
        yield Cell("as-created", form, encryption, scale="half")
    for form in ("UDSB", "UDRW"):
        yield Cell("churn", form, "none", storage=storages[-1])


def _record(mac: Mac, release: str, cell: Cell) -> dict:
    """A record as the core writes it, its times made up: an overhead, a slope, noise, outliers."""
    skipped = cell.form == "ASIF" and release < "macos-26"
    failed = (mac.slug, cell.form, cell.phase, release[:10]) == (
        "macbook-air-m2",
        "UDSB",
        "emptied",
        "macos-26.4",
    )
    status = "skipped" if skipped else "failed" if failed else "measured"
    reasons = {
        "skipped": "this release of macOS cannot create ASIF; it can from macOS 26 on",
        "failed": "the volume vanished while files were written",
    }
    day, _ = RELEASES[release]
    os_name, version, build = release.split("-", 2)
    dice = random.Random(f"{mac.slug}{release}{cell}")
    return {
        "record_version": 1,
        "harness": {"name": "diskbench-core", "version": "0.1.0", "epoch": 1},
        "status": status,
        "reason": reasons.get(status),
        "cell": {
            "cell_version": 1,
            "host": mac.slug,
            "release": release,
            "protocol": cell.protocol,
            "scale": cell.scale,
            "storage": cell.storage,
            "driver": "native" if cell.form == "native" else "apple",
            "format": cell.form,
            "encryption": cell.encryption,
            "repeat": cell.repeat,
            "phase": cell.phase,
            "seed": 20260323,
            "sets": 10 if cell.scale == "gold" else 5,
            "sizes_bytes": [size * 1_000_000 for size in SIZES_MB],
            "nominal_bytes": (125 if cell.protocol == "churn" else 100) * 10**9,
            "io": {"block_bytes": 1_048_576, "cache": "none", "durability": "fsync"},
            "phases": [{"phase": cell.phase, "steps": [{"step": "write"}, {"step": "read"}]}],
        },
        "position": 1,
        "planned": 40,
        "started_utc": f"{day}T10:00:00Z",
        "finished_utc": f"{day}T10:05:00Z",
        "host": _host(mac, os_name, version, build, cell),
        "conditions": {"before": _conditions(120), "after": _conditions(dice.randint(100, 900))},
        "warnings": ["thermal state was fair after the cell"] if mac.memory_gb == 16 else [],
        "cache": {"asked": "none", "reached": "none"},
        "durability": {"asked": "fsync", "reached": "fsync"},
        "ceiling": {
            "write_bytes_per_second": 12_500_000_000,
            "read_bytes_per_second": 15_000_000_000,
            "clock_ns": 41,
        },
        "replayed_phases": [],
        "steps": _steps(cell),
        "samples": _samples(mac, release, cell, dice) if status == "measured" else [],
        "sizes": _sizes(cell) if status == "measured" else [],
        "quiet": {
            "sleep_prevented": True,
            "qos_class": "user-initiated",
            "io_policy": "important",
            "indexing_off": None if cell.form == "native" else True,
            "event_log_off": None if cell.form == "native" else True,
            "backup_off": None if cell.form == "native" else True,
        },
    }


def _host(mac: Mac, os_name: str, version: str, build: str, cell: Cell) -> dict:
    external = cell.storage != "internal"
    described = {"description": "a USB4 case"} if external else {}
    return {
        "os": {"name": os_name, "version": version, "build": build, "kernel": "Darwin made up"},
        "model": f"synthetic {mac.model}",
        "chip": mac.chip,
        "architecture": "arm64",
        "cores": [
            {"kind": "performance", "count": mac.cores[0]},
            {"kind": "efficiency", "count": mac.cores[1]},
        ],
        "memory_bytes": mac.memory_gb * 1_000_000_000,
        "page_bytes": 16_384,
        "virtual_machine": False,
        "storage": {
            "device_model": "synthetic drive",
            "bus": "usb4" if external else "apple-fabric",
            "solid_state": True,
            "size_bytes": 2_000_000_000_000,
            "file_system": "apfs",
            "encryption": "none" if external else "FileVault",
        }
        | described,
        "tools": [{"name": "hdiutil", "version": "made up"}],
    }


def _conditions(load: int) -> dict:
    return {
        "load_1min_milli": load,
        "power_source": "ac",
        "low_power_mode": False,
        "thermal_state": "nominal",
        "free_bytes": 900_000_000_000,
        "memory_available_bytes": 9_000_000_000,
        "memory_pressure": "normal",
    }


def _steps(cell: Cell) -> list[dict]:
    def command(program: str, arguments: str, milliseconds: int) -> dict:
        return {
            "program": program,
            "arguments": arguments.split(),
            "end": "exited",
            "code": 0,
            "elapsed_ns": milliseconds * 1_000_000,
        }

    def step(name: str, seconds: int, commands: list[dict]) -> dict:
        told = {"commands": commands} if commands else {}
        return {"step": name, "elapsed_ns": seconds * 10**9, "note": None} | told

    image = cell.form != "native"
    attach = [command("hdiutil", "attach -plist -nobrowse <image>", 900)] if image else []
    detach = [command("hdiutil", "detach <device>", 110)] if image else []
    return [
        step("attach", 1, attach),
        step("write", 9, []),
        step("detach", 1, detach),
        step("read", 9, []),
    ]


def _samples(mac: Mac, release: str, cell: Cell, dice: random.Random) -> list[dict]:
    sets = 10 if cell.scale == "gold" else 5
    samples = []
    for op in ("write", "read"):
        speed = _speed(mac, release, cell, op)
        order = 0
        for share in ROUNDS.get(cell.protocol, (1.0,)) if op == "write" else (1.0,):
            for number in range(1, sets + 1):
                for size in dice.sample(SIZES_MB, len(SIZES_MB)):
                    order += 1
                    # a first file is slow, one in fifty is an outlier, the rest is noise
                    slow = 3.0 if order == 1 or dice.random() < 0.02 else 1.0
                    time = size * 1e6 / (speed * share) * dice.uniform(0.92, 1.12) * slow
                    samples.append(
                        {
                            "op": op,
                            "order": order,
                            "set": number,
                            "size_bytes": size * 1_000_000,
                            "elapsed_ns": int(150_000 + time),
                            "slept": False,
                        }
                    )
    return samples


def _speed(mac: Mac, release: str, cell: Cell, op: str) -> float:
    """GB/s of the made-up cell."""
    speed = (WRITE if op == "write" else READ)[cell.form] * mac.speed
    if cell.storage != "internal":
        speed = min(speed, 3.2)
    if cell.form in {"UDRW", "UDSP"} and release < "macos-26" and op == "write":
        speed = min(speed, 1.0 if cell.form == "UDRW" else 2.0)
    if cell.encryption == "AES-256":
        kept = RELEASES[release][1] if cell.form in {"UDRW", "ASIF"} else 0.7
        speed *= 0.06 if cell.form == "UDSP" else kept * mac.crypto
    return speed


def _sizes(cell: Cell) -> list[dict]:
    if cell.form == "native":
        return []
    bundle = cell.form == "UDSB"
    return [
        {
            "state": state,
            "allocated_bytes": int(SPACE[state][0] * (1e9 if bundle else 0.9e9)),
            "apparent_bytes": 100_000_000_000 if not bundle else int(SPACE[state][0] * 1e9),
            "bands": SPACE[state][1] if bundle else None,
            "free_bytes": 900_000_000_000,
            "volume_free_bytes": int((124.66 if cell.protocol == "churn" else 99.7) * 1e9),
        }
        for state in STATES[cell.protocol, cell.phase]
    ]


def save(record: dict, folder: Path) -> Path:
    """Sign a record as the core does, and write it where it belongs below `folder`."""
    content = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    whole = record | {"sha256": hashlib.sha256(content.encode()).hexdigest()}
    path = folder / path_of(record["cell"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(whole), encoding="utf-8")
    return path


if __name__ == "__main__":
    print(sum(1 for made in records() if save(made, Path(sys.argv[1]))), "records")
