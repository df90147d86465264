"""A few records of every kind: two synthetic Macs, a stand-in, a small machine at smoke scale."""

from collections.abc import Iterator
from typing import Any

from proofs.support import macs
from proofs.support.records import Record, command, quiet, size, step, use
from study.scales import SIZES_BYTES

MINI, STUDIO = "mac-mini-m4-pro", "mac-studio-m1-max"
OLDEST, *LATER = macs.RELEASES
NEWEST = LATER[-1]
SMOKE = 200  # its files are so many times smaller
WARM = (
    "0.27 GB of the 0.27 GB that were read had not been dropped from memory: "
    "these reads may be memory's"
)
LOAD = "load was 1.20 before the cell: something else was running"
FAILURE = "the volume <vanished> & did not come back"


def records() -> Iterator[Record]:
    """Every record of it, in the same order and with the same bytes each time."""
    # one Mac that was updated, and one that was not, with a second storage: it skips ASIF
    yield from macs.made([STUDIO], [OLDEST])
    for record in macs.made([MINI], LATER):
        cell = record["cell"]
        if (cell["format"], cell["phase"], cell["release"]) == ("ASIF", "emptied", NEWEST):
            yield record | {"status": "failed", "reason": FAILURE, "samples": [], "sizes": []}
        # the older releases were measured before records knew of it
        elif cell["release"] == NEWEST and cell["driver"] == "apple":
            yield _served(record)
        elif cell["protocol"] != "churn":
            yield record
    usage = [
        record
        for record in macs.made([MINI], [NEWEST])
        if (record["cell"]["protocol"], record["cell"]["repeat"]) == ("usage-phases", 1)
    ]
    for record in usage:
        cell = record["cell"]
        image = (cell["format"], cell["encryption"], cell["phase"])
        if image == ("UDSB", "none", "fresh"):
            yield _served(_changed(record, band_bytes=1 << 20))
        if image in {("UDSB", "AES-256", "fresh"), ("ASIF", "AES-256", "fresh")}:
            stand_in = {"host": "stand-in-mac-mini-m4-pro", "release": "macos-27.0-26A5"}
            made = _served(_small(_changed(record, **stand_in)), permitted=False)
            made["host"]["stand_in"] = True
            yield made
        yield _on_linux(record)
        # reads that may be memory's, and an image without a native cell beside it
        if image in {("native", "FileVault", "fresh"), ("UDSB", "none", "fresh")}:
            yield _on_linux(record, protocol="as-created") | {"warnings": [WARM]}
        if image == ("ASIF", "AES-256", "fresh"):
            yield _on_linux(record, protocol="remounted")


def _changed(record: Record, **cell: Any) -> Record:
    """The same of another cell."""
    changed = record | {"cell": record["cell"] | cell, "host": dict(record["host"])}
    name, version, build = changed["cell"]["release"].split("-")
    changed["host"]["os"] = changed["host"]["os"] | {
        "name": name,
        "version": version,
        "build": build,
    }
    return changed


def _small(record: Record) -> Record:
    """The same at smoke scale."""
    samples = [
        sample
        | {
            "size_bytes": sample["size_bytes"] // SMOKE,
            "elapsed_ns": 30_000 + sample["elapsed_ns"] // SMOKE,
        }
        for sample in record["samples"]
    ]
    images = [
        size(
            one["state"],
            one["allocated_bytes"] // SMOKE,
            one["apparent_bytes"] // SMOKE,
            one["bands"] and -(-one["bands"] // SMOKE),
            one["free_bytes"],
        )
        for one in record["sizes"]
    ]
    files = [whole // SMOKE for whole in SIZES_BYTES]
    made = _changed(record, scale="smoke", sizes_bytes=files)
    # after one Mac and before the other; of two machines the later one has the later name
    day = 31 if made["host"]["os"]["name"] == "macos" else 30
    times = {
        f"{end}_utc": f"2026-03-{day}T10:0{at}:00Z" for end, at in (("started", 0), ("finished", 5))
    }
    return made | times | {"samples": samples, "sizes": images}


def _on_linux(record: Record, **cell: Any) -> Record:
    """The same image, but of our own, on a small machine."""
    driver, encryption = record["cell"]["driver"], record["cell"]["encryption"]
    if driver == "native":
        encryption = "none"
    else:
        driver = "portable"
    machine = {"host": "linux-box", "release": "debian-12-6.1"}
    made = _small(_changed(record, driver=driver, encryption=encryption, **machine, **cell))
    made["host"] |= {"model": "small machine", "chip": "made-up chip"}
    made["host"]["os"]["kernel"] = "Linux 6.1"
    unknown = {"low_power_mode": None, "memory_pressure": None}
    made["conditions"] = {when: now | unknown for when, now in made["conditions"].items()}
    return made | {"steps": [step("write", 1_234)], "warnings": [LOAD]}


def _served(record: Record, permitted: bool = True) -> Record:
    """As a Mac leaves it: the programs that were run, what served the image, what was kept quiet."""
    encrypted = record["cell"]["encryption"] != "none"
    total = sum(sample["size_bytes"] for sample in record["samples"] if sample["op"] == "write")
    record["quiet"] = quiet(backup=record["cell"]["phase"] == "fresh" or None)
    described = {"description": "as delivered, “2 TB” & 40 % full"}
    record["host"]["storage"] = record["host"]["storage"] | described
    record["warnings"] = [LOAD]
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
