"""Synthetic records by the hundred thousand, for tests at scale.

Each is whole: the core's `verify` passes it, and it lies where its cell says. Hosts are called
`made-up-mac-…` and their model says `synthetic`, so that every page marks them. A host has 100
cells: ten images under two releases, five repeats each, of 160 files written and 160 read.
"""

import hashlib
import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from proofs.support import records
from proofs.support.records import Record
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
FREE = 600_000_000_000
TIME = "%Y-%m-%dT%H:%M:%SZ"
BEGAN = datetime(2026, 5, 20, 0, 0)
_Z64 = 2**64 - 1


def write(runs: Path, count: int) -> None:
    """Write so many records below `runs`, the same on every machine."""
    forms = [_Form(*cell) for cell in CELLS]
    for number in range(count):
        host, cell = divmod(number, len(CELLS))
        path, text = forms[cell].filled(f"made-up-mac-{host + 1:05}", number + len(CELLS))
        (runs / path).parent.mkdir(parents=True, exist_ok=True)
        (runs / path).write_bytes(text)


def of_host(slug: str, cells: Iterable[int], seed: int) -> Iterator[tuple[str, bytes]]:
    """Path below the runs folder and text of some records of one host, by number in `CELLS`."""
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


def record(driver: str, image: str, encryption: str, release: str, repeat: int) -> Record:
    """A record with `%s` and `%d` where `_Form` fills in; the sizes in the order that is due."""
    files = [(size, "%d") for number in range(1, SETS + 1) for size in _shuffled(SEED, 1, number)]
    steps = [
        {"step": step} | ({"state": STATES[at > 2]} if step == "measure" else {})
        for at, step in enumerate(STEPS)
    ]
    bands = image in ("UDSP", "UDSB")
    return records.record(
        {
            "cell": {
                "host": "%s",
                "release": release,
                "protocol": "remounted",
                "driver": driver,
                "format": image,
                "encryption": encryption,
                "repeat": repeat,
                "seed": SEED,
                "sets": SETS,
                "phases": [{"phase": "fresh", "steps": steps}],
            },
            "planned": len(CELLS),
            "steps": [records.step(step, 1_000_000_000) for step in STEPS],
            "samples": records.samples("write", files) + records.samples("read", files),
            "sizes": [
                records.size(
                    state, allocated, allocated, allocated // 8_388_608 if bands else None, FREE
                )
                for state, allocated in zip(STATES, (20_000_000, 53_400_000_000), strict=True)
            ],
            "sha256": "%s",
        }
    )


def of_mac(
    host: str,
    started: datetime,
    repeat: int = 1,
    noise: Callable[[int], int] = lambda _: 0,
    **cell: Any,
) -> Record:
    """A record as a Mac would have left it; `noise`: nanoseconds that a file takes longer."""
    made = record("apple", "UDSB", "none", RELEASES[1], repeat)
    made["cell"] |= {"host": host} | cell
    made["host"] |= {"model": "Mac16,11"}
    for at, sample in enumerate(made["samples"]):
        sample["elapsed_ns"] = 400_000 + sample["size_bytes"] // 6 + noise(at)
    for step in made["steps"]:
        step["elapsed_ns"] = 1_000_000
    made["started_utc"] = started.strftime(TIME)
    made["finished_utc"] = (started + timedelta(seconds=50)).strftime(TIME)
    return made


def hourly(host: str, number: int, seed: int = 0) -> Record:
    """A record as a Mac would have left it: so many hours after the first of its host."""

    def noise(at: int) -> int:
        return (at * 7919 + number * 104_729 + seed * 1_299_709) % 99_991 * 10

    return of_mac(host, BEGAN + timedelta(hours=number), number + 1, noise)


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
