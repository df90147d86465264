"""Synthetic records for tests: valid, marked by the host slug `made-up-…`."""

import copy
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import vocabulary
from proofs.support import records
from proofs.support.records import Record, command, step, use
from proofs.support.records import save as save
from study.scales import SCALES, sizes_bytes

# warnings of cores before warnings had codes
WARM = (
    "0.27 GB of the 0.27 GB that were read had not been dropped from memory: "
    "these reads may be memory's"
)
IN_MEMORY = "the files were in memory, not on a disk: the figures are memory's"
# how much three runs differ
RUNS = (0.99, 1.0, 1.01)

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


def stalled(write_gbps: float, read_gbps: float) -> Time:
    """Steady times, but every fourth file is written at 0.02 GB/s: the slope does not show it."""
    usual, slow = steady(write_gbps, read_gbps), steady(0.02, read_gbps)
    return lambda op, order, size: (usual if order % 4 else slow)(op, order, size)


def repeats(write_gbps: float, read_gbps: float, shares: tuple[float, ...] = RUNS) -> list[Time]:
    """The times of runs, each with its own share of the speed; all statistics of a run agree."""
    return [
        noisy(share * write_gbps, share * read_gbps, spread=0.02, per_file_ns=0) for share in shares
    ]


def record(time: Time | None = None, parts: Record | None = None, **cell: Any) -> Record:
    """A record of a small Linux machine; `cell` replaces parts of its cell's description, `parts` any."""
    time = time or noisy(5.0, 6.0)
    scale = SCALES[cell.get("scale", "gold")]
    sizes = sizes_bytes(scale)
    host = cell.get("host", "made-up-linux")
    usual = {
        "cell": {"host": host, "release": "debian-12-6.1.147", "seed": 305419896}
        | {"sizes_bytes": sizes}
        | cell
        | {"sets": scale.sets},
        "planned": 5,
        "started_utc": "2026-11-20T18:48:19Z",
        "finished_utc": "2026-11-20T18:48:25Z",
        "host": {
            "os": {"kernel": "Linux 6.1.147"},
            "model": None,
            "chip": vocabulary.HOSTS.get(host, {}).get("chip", "made-up chip"),
            "architecture": "x86_64",
            "cores": [{"kind": "performance", "count": 2}],
            "memory_bytes": 25_769_803_776,
            "page_bytes": 4096,
            # as the machines that the tests run on; the Macs of the articles are none
            "virtual_machine": host.startswith("made-up"),
            "storage": {
                "bus": "virtio",
                "file_system": "apfs" if cell.get("release", "").startswith("macos") else "ext4",
                # as the articles state for the internal disk of a Mac
                "encryption": "FileVault"
                if host in vocabulary.HOSTS and cell.get("storage", "internal") == "internal"
                else "none",
            },
        },
        "conditions": {"after": {"load_1min_milli": 1200}},
        "warnings": ["load was 1.20 after the cell: something else was running"],
        "ceiling": {"clock_ns": 63},
        "steps": [step("create", 1234), step("detach", 1, "nothing to detach")],
        "sizes": [records.size("new", 4096, 0, None, 1)],
    }
    made = records.record(usual, parts or {})
    order = list(enumerate(shuffled(sizes, scale.sets), start=1))
    # not among the changes, which are copied
    made["samples"] = [
        one
        for op in ("write", "read")
        for one in records.samples(op, [(size, time(op, place, size)) for place, size in order])
    ]
    return made


def at(hours: int) -> Record:
    """Parts of a record that was started so many hours after the first."""
    utc = f"{datetime(2026, 11, 20, 18) + timedelta(hours=hours):%Y-%m-%dT%H:%M:%SZ}"
    return {"started_utc": utc, "finished_utc": utc}


def save_runs(
    runs: Path, *times: Time | None, parts: Record | None = None, repeat: int = 1, **cell: Any
) -> Path:
    """Save a record of one cell for each of these times, as one repeat after the other; gives the last one."""
    for number, time in enumerate(times or [None], start=repeat):
        path = save(record(time, parts, repeat=number, **cell), runs)
    return path


def image(made: Record, **found: Any) -> Record:
    """The image of a record: an apple one as its cell requests it, and what was found of it."""
    cell = made["cell"]
    bits = {"AES-128": 128, "AES-256": 256}.get(cell["encryption"])
    requested = {
        "on_image": True,
        "format": cell["format"],
        "encrypted": bits is not None,
        "cipher": "AES" if bits else None,
        "key_bits": bits,
        "band_bytes": cell.get("band_bytes"),
        "sector_bytes": cell.get("block_bytes", 512),
        "nominal_bytes": cell["nominal_bytes"],
        "file_system": "apfs",
    }
    return {"requested": requested, "effective": requested | found}


def served(made: Record) -> Record:
    """The same record as a Mac leaves it: what was kept quiet, and who served the image at what cost."""
    made = copy.deepcopy(made)
    made["quiet"] = records.quiet()
    made["image"] = image(made, band_bytes=8_388_608, sector_bytes=None)
    made["host"]["storage"]["description"] = "in a case, on a cable of 40 Gb/s"
    processes = [
        use("diskimages-helper", 1, True, 2_300_000_000, 1_000_000, 53_300_000_000),
        use("diskimagesiod", 2, False),
    ]
    made["steps"] = [
        step(
            "create",
            900_000_000,
            commands=[
                command("hdiutil", "create -size 100g -type SPARSEBUNDLE -fs APFS <image>", 800)
            ],
        ),
        step(
            "write",
            11_000_000_000,
            serving={"elapsed_ns": 10_000_000_000, "processes": processes},
        ),
        step("read", 9_000_000_000),
        step(
            "detach",
            3_000_000_000,
            "busy twice, then forced",
            commands=[
                command("hdiutil", "info -plist", 40),
                command("hdiutil", "detach disk4", 70, code=16),
                command("hdiutil", "detach disk4", 90, code=16),
                command("hdiutil", "detach disk4 -force", 110),
                command("diskutil", "list", 10_000, end="timed-out", code=None),
                command("sync", "", 5),
            ],
        ),
    ]
    for size in made["sizes"]:
        size["volume_free_bytes"] = 99_000_000_000
    return made


def rounds(made: Record, *speeds: float) -> Record:
    """The same record with a round of writing for each speed (GB/s), counted through, and no reads."""
    one = [sample["size_bytes"] for sample in made["samples"] if sample["op"] == "write"]
    files = [(size, round(size / speed)) for speed in speeds for size in one]
    phase = {"phase": made["cell"]["phase"], "steps": [{"step": "write"}] * len(speeds)}
    return made | {
        "cell": made["cell"] | {"phases": [phase]},
        "samples": records.samples("write", files, made["cell"]["sets"]),
    }


def sized(made: Record, *sizes: tuple[str, int, int | None, int | None]) -> Record:
    """The same record with these states of its image: bytes on disk, bands, bytes free inside."""
    looked = [
        records.size(state, allocated, allocated, bands, 10**12, volume_free_bytes=free)
        for state, allocated, bands, free in sizes
    ]
    return made | {"sizes": looked}


def shuffled(sizes: list[int], sets: int) -> list[int]:
    """The sizes of every set, each set in another order."""
    return [sizes[(place * 7 + number) % 16] for number in range(sets) for place in range(16)]


def without_figures(made: Record, status: str, reason: str) -> Record:
    """The same cell, failed or skipped."""
    made |= {"status": status, "reason": reason, "samples": [], "sizes": [], "steps": []}
    for mode in ("cache", "durability"):
        made[mode]["reached"] = None
    return made


def measure(
    folder: Path,
    write_gbps: float,
    runs: tuple[float, ...],
    disk: tuple[float, ...] = (8.0,) * 4,
    parts: Record | None = None,
    **cell: Any,
) -> None:
    """Save runs of one cell, each with its own share of the speed, and the disk's speed beside it.

    parts: of all these records.
    """
    native = {"format": "native", "driver": "native", "encryption": "none"}
    of_cell = [share * write_gbps for share in runs]
    for speeds, one in ((disk[: len(runs)], cell | native), (of_cell, cell)):
        if speeds:
            times = (noisy(gbps, 6.0, spread=0.02) for gbps in speeds)
            save_runs(folder, *times, parts=parts, **one)
