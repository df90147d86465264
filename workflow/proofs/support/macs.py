"""A large synthetic study: five Macs, four releases of macOS, scale gold.

It shows how pages read when there is much to show. Nothing in it was measured: every machine's
model says `synthetic`, so that each page made from it is marked. It is never kept as results.
"""

import random
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from proofs.support import records
from proofs.support.records import Record
from study.scales import SCALES, SIZES_BYTES

PHASES = ("fresh", "partly-filled", "emptied")
# release -> day it is measured on, and how much of the plain speed encrypted images keep in it
RELEASES = {
    "macos-15.6-24G84": ("2026-01-10", 0.55),
    "macos-26.3.1-25D2128": ("2026-04-02", 0.17),
    "macos-26.4-25E246": ("2026-05-20", 0.17),
    "macos-27.0-26A5300": ("2026-11-01", 0.45),
}
KERNELS = {"macos-15": "Darwin 24.6.0", "macos-26": "Darwin 25.4.0", "macos-27": "Darwin 26.0.0"}
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
# states in which the files are still there
HELD = {"filled", "partly-emptied", "refilled", "filled-again", "churned"}
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
    """The distinguishing keys of a cell on one machine and release."""

    protocol: str
    form: str
    encryption: str
    phase: str = "fresh"
    scale: str = "gold"
    storage: str = "internal"
    repeat: int = 1


def made(
    hosts: Collection[str] = tuple(mac.slug for mac in MACS),
    releases: Collection[str] = tuple(RELEASES),
) -> Iterator[Record]:
    """The records of the made-up study, in the same order and with the same bytes each time."""
    for number, mac in enumerate(MACS):
        if mac.slug not in hosts:
            continue
        for release in releases:
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


def _record(mac: Mac, release: str, cell: Cell) -> Record:
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
        "skipped": "this release cannot create ASIF; macOS 26 and later can",
        "failed": "the volume vanished while files were written",
    }
    day, _ = RELEASES[release]
    dice = random.Random(f"{mac.slug}{release}{cell}")
    image = cell.form != "native"
    external = cell.storage != "internal"
    storage = {
        "device_model": "synthetic drive",
        "encryption": "none" if external else "FileVault",
    } | ({"bus": "usb4", "description": "a USB4 case"} if external else {})
    return records.record(
        {
            "status": status,
            "reason": reasons.get(status),
            "cell": {
                "host": mac.slug,
                "release": release,
                "protocol": cell.protocol,
                "scale": cell.scale,
                "storage": cell.storage,
                "driver": "apple" if image else "native",
                "format": cell.form,
                "encryption": cell.encryption,
                "repeat": cell.repeat,
                "phase": cell.phase,
                "sets": SCALES[cell.scale].sets,
                "nominal_bytes": (125 if cell.protocol == "churn" else 100) * 10**9,
            },
            "started_utc": f"{day}T10:00:00Z",
            "finished_utc": f"{day}T10:05:00Z",
            "host": {
                "os": {"kernel": KERNELS[release[:8]]},
                "model": f"synthetic {mac.model}",
                "chip": mac.chip,
                "cores": [
                    {"kind": "performance", "count": mac.cores[0]},
                    {"kind": "efficiency", "count": mac.cores[1]},
                ],
                "memory_bytes": mac.memory_gb * 1_000_000_000,
                "storage": storage,
                "tools": [{"name": "hdiutil", "version": "made up"}],
            },
            "conditions": {"after": {"load_1min_milli": dice.randint(100, 900)}},
            "warnings": ["thermal state was fair after the cell"] if mac.memory_gb == 16 else [],
            "ceiling": {"write_bytes_per_second": 12_500_000_000},
            "steps": _steps(image),
            "samples": _samples(mac, release, cell, dice) if status == "measured" else [],
            "sizes": _sizes(cell) if status == "measured" and image else [],
            "quiet": records.quiet(*[True, True] if image else [None, None]),
        }
    )


def _steps(image: bool) -> list[Record]:
    """The steps; those of an image were two programs."""

    def run(arguments: str, milliseconds: int) -> dict:
        command = records.command("hdiutil", arguments, milliseconds)
        return {"commands": [command]} if image else {}

    return [
        records.step("attach", 10**9, **run("attach -plist -nobrowse <image>", 900)),
        records.step("write", 9 * 10**9),
        records.step("detach", 10**9, **run("detach <device>", 110)),
        records.step("read", 9 * 10**9),
    ]


def _samples(mac: Mac, release: str, cell: Cell, dice: random.Random) -> list[Record]:
    found = []
    sets = SCALES[cell.scale].sets
    for op in ("write", "read"):
        speed = _speed(mac, release, cell, op)
        files = []
        for share in ROUNDS.get(cell.protocol, (1.0,)) if op == "write" else (1.0,):
            for _ in range(sets):
                for size in dice.sample(SIZES_BYTES, len(SIZES_BYTES)):
                    # a first file is slow, one in fifty is an outlier, the rest is noise
                    slow = 3.0 if not files or dice.random() < 0.02 else 1.0
                    time = size / (speed * share) * dice.uniform(0.92, 1.12) * slow
                    files.append((size, int(150_000 + time)))
        found += records.samples(op, files, sets)
    return found


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


def _sizes(cell: Cell) -> list[Record]:
    bundle = cell.form == "UDSB"
    whole = 124.66 if cell.protocol == "churn" else 99.7
    return [
        records.size(
            state,
            int(SPACE[state][0] * (1e9 if bundle else 0.9e9)),
            int(SPACE[state][0] * 1e9) if bundle else 100_000_000_000,
            SPACE[state][1] if bundle else None,
            900_000_000_000,
            volume_free_bytes=int((whole - (SPACE[state][0] if state in HELD else 0)) * 1e9),
        )
        for state in STATES[cell.protocol, cell.phase]
    ]
