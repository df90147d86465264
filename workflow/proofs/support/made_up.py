"""Made-up records by the hundred thousand, for what must hold at scale; none was measured.

Each is whole: the core's `verify` passes it, and it lies where its cell says. Hosts are called
`made-up-mac-…` and their model says `synthetic`, so that every page marks them. A host has 100
cells: ten images under two releases, five repeats each, of 160 files written and 160 read.
"""

import hashlib
import itertools
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from record import path_of
from study.scales import SIZES_BYTES

SETS = 10
SAMPLES = 2 * SETS * len(SIZES_BYTES)
SEED = 20260323
RELEASES = ("macos-26.3.1-25D2128", "macos-26.4-25E246")
REPEATS = (1, 2, 3, 4, 5)
IMAGES = [
    ("native", "native", "none"),
    ("portable", "UDSB", "none"),
    *(("apple", form, code) for form in ("UDRW", "UDSB", "UDSP") for code in ("none", "AES-256")),
    ("apple", "ASIF", "none"),
    ("apple", "ASIF", "AES-256"),
]
CELLS = [(*image, *rest) for image, *rest in itertools.product(IMAGES, RELEASES, REPEATS)]
SPEEDS_GBPS = {"native": 7.0, "UDRW": 9.0, "UDSB": 6.5, "UDSP": 2.0, "ASIF": 8.5}
STEPS = ("create", "detach", "measure", "attach", "write", "read", "detach", "measure")
STATES = ("new", "filled")
_Z64 = 2**64 - 1


def write(runs: Path, records: int) -> int:
    """Write so many records below `runs`; returns the bytes of their files."""
    written = 0
    for number, (path, text) in enumerate(texts(records)):
        target = runs / path
        if number % len(CELLS) % len(REPEATS) == 0 or not target.parent.is_dir():
            target.parent.mkdir(parents=True, exist_ok=True)
        written += target.write_bytes(text)
    return written


def texts(records: int, first_host: int = 1) -> Iterator[tuple[str, bytes]]:
    """Path below the runs folder and text of each record, the same on every machine."""
    forms = [_Form(*cell) for cell in CELLS]
    for number in range(records):
        host, cell = divmod(number, len(CELLS))
        slug = f"made-up-mac-{first_host + host:05}"
        yield forms[cell].filled(slug, number + first_host * len(CELLS))


def of_host(slug: str, cells: Iterable[int], seed: int) -> Iterator[tuple[str, bytes]]:
    """The same for some of the cells of one host, by their numbers in `CELLS`."""
    for cell in cells:
        yield _Form(*CELLS[cell]).filled(slug, seed * len(CELLS) + cell)


class _Form:
    """The text of one cell's record as templates: host, times of its files, checksum left open."""

    def __init__(self, driver: str, image: str, encryption: str, release: str, repeat: int) -> None:
        made = record(driver, image, encryption, release, repeat)
        self.path = path_of(made["cell"])
        self.pretty = _template(json.dumps(made, indent=2, sort_keys=True, ensure_ascii=False))
        del made["sha256"]
        self.canonical = _template(
            json.dumps(made, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
        )
        later = RELEASES.index(release)
        slower = (0.35 if encryption != "none" else 1.0) * (1.1**later)
        speed = SPEEDS_GBPS[image] * slower
        sizes = np.array([sample["size_bytes"] for sample in made["samples"]])
        self.usual_ns = 400_000 + sizes / speed

    def filled(self, host: str, seed: int) -> tuple[str, bytes]:
        noise = np.random.Generator(np.random.PCG64(seed)).lognormal(0, 0.08, len(self.usual_ns))
        times = (self.usual_ns * noise).astype(np.int64).tolist()
        # keys are sorted: the host stands before the samples, and its own sum after its name
        text = self.canonical % (host, *times)
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        return self.path % host, (self.pretty % (host, *times, sha256)).encode()


def record(driver: str, image: str, encryption: str, release: str, repeat: int) -> dict[str, Any]:
    """A record with `%s` and `%d` where `_Form` fills in; the sizes in the order that is due."""
    name, version, build = release.split("-")
    sizes = [size for number in range(1, SETS + 1) for size in _shuffled(SEED, 1, number)]
    state = {
        "load_1min_milli": 120,
        "power_source": "ac",
        "low_power_mode": False,
        "thermal_state": "nominal",
        "free_bytes": 600_000_000_000,
        "memory_available_bytes": 20_000_000_000,
        "memory_pressure": "normal",
    }
    return {
        "record_version": 1,
        "harness": {"name": "diskbench-core", "version": "0.1.0", "epoch": 1},
        "status": "measured",
        "reason": None,
        "cell": {
            "cell_version": 1,
            "host": "%s",
            "release": release,
            "protocol": "remounted",
            "scale": "gold",
            "storage": "internal",
            "driver": driver,
            "format": image,
            "encryption": encryption,
            "repeat": repeat,
            "phase": "fresh",
            "seed": SEED,
            "sets": SETS,
            "sizes_bytes": list(SIZES_BYTES),
            "nominal_bytes": 100_000_000_000,
            "io": {"block_bytes": 1_048_576, "cache": "none", "durability": "fsync"},
            "phases": [
                {
                    "phase": "fresh",
                    "steps": [
                        {"step": step, "state": STATES[at > 2]}
                        if step == "measure"
                        else {"step": step}
                        for at, step in enumerate(STEPS)
                    ],
                }
            ],
        },
        "position": 1,
        "planned": len(CELLS),
        "started_utc": "2026-05-20T18:48:19Z",
        "finished_utc": "2026-05-20T18:49:25Z",
        "host": {
            "os": {"name": name, "version": version, "build": build, "kernel": "Darwin 25.4.0"},
            "model": "synthetic Mac",
            "chip": "Apple M4 Pro",
            "architecture": "aarch64",
            "cores": [
                {"kind": "performance", "count": 10},
                {"kind": "efficiency", "count": 4},
            ],
            "memory_bytes": 51_539_607_552,
            "page_bytes": 16384,
            "virtual_machine": False,
            "storage": {
                "device_model": "APPLE SSD",
                "bus": "Apple Fabric",
                "solid_state": True,
                "size_bytes": 994_662_584_320,
                "file_system": "apfs",
                "encryption": "none",
            },
            "tools": [],
        },
        "conditions": {"before": state, "after": state},
        "warnings": [],
        "cache": {"asked": "none", "reached": "none"},
        "durability": {"asked": "fsync", "reached": "fsync"},
        "ceiling": {
            "write_bytes_per_second": 18_000_000_000,
            "read_bytes_per_second": 22_000_000_000,
            "clock_ns": 42,
        },
        "replayed_phases": [],
        "steps": [{"step": step, "elapsed_ns": 1_000_000_000, "note": None} for step in STEPS],
        "samples": [
            {
                "op": op,
                "order": order,
                "set": (order - 1) // len(SIZES_BYTES) + 1,
                "size_bytes": size,
                "elapsed_ns": "%d",
                "slept": False,
            }
            for op in ("write", "read")
            for order, size in enumerate(sizes, start=1)
        ],
        "sizes": [
            {
                "state": state,
                "allocated_bytes": allocated,
                "apparent_bytes": allocated,
                "bands": allocated // 8_388_608 if image in ("UDSP", "UDSB") else None,
                "free_bytes": 600_000_000_000,
            }
            for state, allocated in zip(STATES, (20_000_000, 53_400_000_000), strict=True)
        ],
        "sha256": "%s",
    }


def _template(text: str) -> str:
    return text.replace('"%d"', "%d")


def _shuffled(seed: int, round_: int, number: int) -> list[int]:
    """The sizes of one set in their order, as core/diskbench-core/src/workload/order.rs says."""
    first = _SplitMix(_SplitMix(seed).next() ^ round_)
    generator = _SplitMix(first.next() ^ number)
    sizes = list(SIZES_BYTES)
    for last in range(len(sizes) - 1, 0, -1):
        other = generator.below(last + 1)
        sizes[last], sizes[other] = sizes[other], sizes[last]
    return sizes


class _SplitMix:
    """SplitMix64 on 64-bit integers."""

    def __init__(self, state: int) -> None:
        self.state = state

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & _Z64
        z = self.state
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & _Z64
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & _Z64
        return z ^ z >> 31

    def below(self, n: int) -> int:
        rejected = (-n & _Z64) % n
        while (x := self.next()) < rejected:
            pass
        return x % n
