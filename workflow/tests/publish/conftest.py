"""A database without any measurement, and one of made-up records; the project's pages, run once."""

import hashlib
import json
import os
import random
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from database.build import Folders, build
from publish import plain, project
from record import path_of

ROOT = Path(__file__).resolve().parents[3]
REPORTS = ROOT / "reports"
QUOTED = (
    "CHANGELOG.md",
    "CITATION.cff",
    "core/diskbench-core/src/exit_code.rs",
    "core/system/src/calls.rs",
    "workflow/scripts/database/statistics/estimate.py",
    "workflow/scripts/database/statistics/resampling.py",
    "workflow/scripts/console.py",
    "workflow/scripts/record.py",
    "workflow/scripts/strict_yaml.py",
)
QUOTED_FOLDERS = (
    "data/proofs",
    "workflow/config",
    "workflow/schemas",
    "workflow/scripts/study",
)
SIZES_MB = [2, 4, 6, 8, 10, 20, 40, 60, 80, 100, 200, 400, 600, 800, 1000, 2000]
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


# `lib` is what pages import: not a part of the workflow, so not on its path; nor are helpers here
sys.path += [str(REPORTS), str(Path(__file__).parent), str(Path(__file__).parents[1] / "database")]

import hostile  # noqa: E402  (found through the line above)
import macs as made_up_macs  # noqa: E402

from lib import engine  # noqa: E402


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, list[dict]], Path]:
    """Makes a database of records, in a folder of this name."""
    return lambda name, records: _build(tmp_path_factory.mktemp(name), records)


@pytest.fixture(scope="session")
def published_only(tmp_path_factory) -> Path:
    """The database of a fresh clone: published figures, nothing measured."""
    return _build(tmp_path_factory.mktemp("published-only"), [])


@pytest.fixture(scope="session")
def made_up(tmp_path_factory) -> Path:
    """A database with two made-up Macs and a small machine at smoke scale."""
    return _build(tmp_path_factory.mktemp("made-up"), list(_records()))


@pytest.fixture(scope="session")
def macs(tmp_path_factory) -> Path:
    """A database with five made-up Macs and four releases of macOS."""
    return _build(tmp_path_factory.mktemp("macs"), list(made_up_macs.records()))


@pytest.fixture(scope="session")
def hostile_records(tmp_path_factory) -> Path:
    """A database whose records were written to do harm."""
    kept = [
        {key: value for key, value in record.items() if key != "sha256"}
        for record in hostile.records()
        if record["warnings"][0] != hostile.ATTACKS["half a letter"]  # refused: tests/database
    ]
    return _build(tmp_path_factory.mktemp("hostile"), kept)


@dataclass(frozen=True)
class Site:
    """A rendered site, the database it was made from, and its pages as they were executed."""

    name: str
    folder: Path
    database: Path
    notebooks: dict[str, list]

    @property
    def pages(self) -> list[Path]:
        return [Path(page).with_suffix(".html") for page in self.notebooks]


@pytest.fixture(scope="session")
def rendered_site(request, tmp_path_factory) -> Callable[[str], Site]:
    """The project's own pages, rendered in a copy from the database of a fixture, once each."""

    @cache
    def render(name: str) -> Site:
        database = request.getfixturevalue(name)
        copy = copied(tmp_path_factory.mktemp("site"))
        os.environ["DISKBENCH_DATABASE"] = str(database)
        try:
            done = plain.render(project.load(copy))
        finally:
            del os.environ["DISKBENCH_DATABASE"]
        cells = {str(page): notebook.cells for page, notebook in done.items()}
        return Site(name, copy / "_site", database, cells)

    return render


@pytest.fixture(scope="session", params=["published_only", "made_up"])
def site(request, rendered_site) -> Site:
    """The site as in a fresh clone, and with a few records of every kind."""
    return rendered_site(request.param)


@pytest.fixture(scope="session", params=["published_only", "made_up", "macs"])
def any_site(request, rendered_site) -> Site:
    """The same two, and the site of many Macs and releases."""
    return rendered_site(request.param)


@pytest.fixture(scope="session")
def notebooks(rendered_site) -> dict[str, list]:
    """The executed pages, by name."""
    return rendered_site("made_up").notebooks


@pytest.fixture
def copied_reports(tmp_path) -> Path:
    """The reports in a folder of their own."""
    return copied(tmp_path)


def copied(folder: Path) -> Path:
    """The reports in a folder of their own, with the files of the project that pages quote."""
    engine.make()  # here, once: what is made from the same sources is copied with them
    left_out = shutil.ignore_patterns("_site", ".quarto", "__pycache__")
    shutil.copytree(REPORTS, folder / "reports", ignore=left_out)
    for quoted in QUOTED_FOLDERS:
        if (ROOT / quoted).is_dir():
            shutil.copytree(ROOT / quoted, folder / quoted, ignore=left_out)
    for name in QUOTED:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    return folder / "reports"


def _build(folder: Path, records: list[dict]) -> Path:
    runs = folder / "runs"
    runs.mkdir()
    for record in records:
        content = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        whole = record | {"sha256": hashlib.sha256(content.encode()).hexdigest()}
        path = runs / path_of(record["cell"])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(whole), encoding="utf-8")
    if records:
        (runs / "torn.json").write_text('{"record_version": 1,', encoding="utf-8")
    database = folder / "diskbench.duckdb"
    build(
        Folders(
            runs=runs,
            published=ROOT / "data" / "published",
            sql=ROOT / "workflow" / "sql",
            schema=ROOT / "workflow" / "schemas" / "record.schema.json",
            database=database,
            parquet=folder / "parquet",
        )
    )
    return database


def _records():
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


def _used(record: dict) -> dict:
    """The sizes of an image that is filled, emptied, and in the end compacted."""
    bundle = record["cell"]["format"] == "UDSB"
    states = {
        "fresh": {"new": 5, "filled": 300, "partly-emptied": 70},
        "partly-filled": {"refilled": 340, "emptied": 20},
        "emptied": {"filled-again": 300, "emptied-again": 20, "compacted": 8 if bundle else 20},
    }[record["cell"]["phase"]]
    record["sizes"] = [
        {
            "state": state,
            "allocated_bytes": megabytes * 1_000_000,
            "apparent_bytes": megabytes * 1_000_000,
            "bands": -(-megabytes // 8) if bundle else None,
            "free_bytes": 99_000_000_000,
        }
        for state, megabytes in states.items()
    ]
    return record


def _served(record: dict, permitted: bool = True) -> dict:
    """As a Mac leaves it: the programs that were run, what served the image, what was kept quiet."""
    encrypted = record["cell"]["encryption"] != "none"
    total = sum(sample["size_bytes"] for sample in record["samples"] if sample["op"] == "write")
    record["quiet"] = {
        "sleep_prevented": True,
        "qos_class": "user-initiated",
        "io_policy": "important",
        "indexing_off": True,
        "event_log_off": True,
        "backup_off": record["cell"]["phase"] == "fresh" or None,
    }
    record["host"]["storage"]["description"] = "as delivered, “2 TB” & 40 % full"
    record["steps"] = [
        _step("attach", _command("hdiutil", "attach -plist -nobrowse <image>", 900)),
        _step("write", serving=_serving(permitted, 260 if encrypted else 120, 0, total)),
        _step(
            "detach",
            _command("hdiutil", "info -plist", 40),
            _command("hdiutil", "detach disk4", 70, 16),
            _command("hdiutil", "detach disk4 -force" if encrypted else "detach disk4", 110),
            _command(
                "tmutil",
                "isexcluded <image>",
                12_000 if encrypted else 300,
                None if encrypted else 0,
            ),
        ),
        _step("read", serving=_serving(permitted, 230 if encrypted else 90, total, 0)),
    ]
    for size in record["sizes"]:
        size["volume_free_bytes"] = 99_100_000_000
    return record


def _step(name: str, *commands: dict, serving: dict | None = None) -> dict:
    step = {"step": name, "elapsed_ns": 20_000_000_000, "note": None}
    step |= {"commands": list(commands)} if commands else {}
    return step | ({"serving": serving} if serving else {})


def _command(program: str, arguments: str, milliseconds: int, code: int | None = 0) -> dict:
    return {
        "program": program,
        "arguments": arguments.split(),
        "end": "timed-out" if code is None else "exited",
        "code": code,
        "elapsed_ns": milliseconds * 1_000_000,
    }


def _serving(permitted: bool, permille: int, read: int, written: int) -> dict:
    """A process of which that much of a core is known, and one that may not be looked at."""
    known = {
        "cpu_ns": permille * 20_000_000,
        "read_bytes": read,
        "written_bytes": written,
        "energy_nj": 7_500_000_000,
    }
    unknown = dict.fromkeys(known)
    return {
        "elapsed_ns": 20_000_000_000,
        "processes": [
            {"name": "diskimagesiod", "count": 1, "permitted": permitted}
            | (known if permitted else unknown),
            {"name": "storagekitd", "count": 2, "permitted": False} | unknown,
        ],
    }


def _churned(record: dict) -> dict:
    """Five rounds of writing instead of one, the later ones slower."""
    record["cell"]["protocol"] = "churn"
    once = [sample for sample in record["samples"] if sample["op"] == "write"]
    record["samples"] = [
        sample
        | {
            "order": number * len(once) + sample["order"],
            "elapsed_ns": round(sample["elapsed_ns"] / share),
        }
        for number, share in enumerate(ROUNDS[record["cell"]["format"]])
        for sample in once
    ]
    bundle = record["cell"]["format"] == "UDSB"
    states = {
        "new": (0.0148, 2),
        "churned": (104.08, 12_408),
        "emptied": (1.12, 135),
        "compacted": (1.06, 128),
    }
    record["sizes"] = [
        {
            "state": state,
            "allocated_bytes": int(gigabytes * 1e9),
            "apparent_bytes": 125_000_000_000,
            "bands": bands if bundle else None,
            "free_bytes": 900_000_000_000,
            "volume_free_bytes": 124_660_000_000 - (103_000_000_000 if state == "churned" else 0),
        }
        for state, (gigabytes, bands) in states.items()
    ]
    return record


def _record(host, release, scale, driver, form, encryption, phase) -> dict:
    """A record as the core writes it, its times made up: an overhead and a slope with some noise."""
    dice = random.Random(f"{host}{release}{form}{encryption}{phase}")
    divisor = 200 if scale == "smoke" else 1
    sizes = [size * 1_000_000 // divisor for size in SIZES_MB]
    os_name, version, build_ = release.split("-", 2)
    fails = (form, encryption, phase, version) == ("ASIF", "AES-256", "emptied", "26.4")
    samples = []
    for op in () if fails else ("write", "read"):
        order = 0
        for number in range(1, 11):
            for size in dice.sample(sizes, len(sizes)):
                order += 1
                speed = SPEEDS.get(encryption, 4) * (SHARE[form] if driver != "apple" else 1)
                nanoseconds = size / speed * dice.uniform(0.9, 1.2)
                samples.append(
                    {
                        "op": op,
                        "order": order,
                        "set": number,
                        "size_bytes": size,
                        "elapsed_ns": int(30_000 + nanoseconds),
                        "slept": False,
                    }
                )
    quiet = {
        "load_1min_milli": 120,
        "power_source": "ac",
        "low_power_mode": None,
        "thermal_state": "nominal",
        "free_bytes": 900_000_000_000,
        "memory_available_bytes": 9_000_000_000,
        "memory_pressure": None,
    }
    return {
        "record_version": 1,
        "harness": {"name": "diskbench-core", "version": "0.1.0", "epoch": 1},
        "status": "failed" if fails else "measured",
        "reason": FAILURE if fails else None,
        "cell": {
            "cell_version": 1,
            "host": host,
            "release": release,
            "protocol": "usage-phases",
            "scale": scale,
            "storage": "internal",
            "driver": driver,
            "format": form,
            "encryption": encryption,
            "repeat": 1,
            "phase": phase,
            "seed": 1,
            "sets": 10,
            "sizes_bytes": sizes,
            "nominal_bytes": 100_000_000_000,
            "io": {"block_bytes": 1_048_576, "cache": "none", "durability": "fsync"},
            "phases": [{"phase": name, "steps": [{"step": "write"}]} for name in PHASES],
        },
        "position": 1,
        "planned": 39,
        "started_utc": f"{DAYS[version]}T10:00:00Z",
        "finished_utc": f"{DAYS[version]}T10:05:00Z",
        "host": {
            "os": {"name": os_name, "version": version, "build": build_, "kernel": "made up"},
            "model": "synthetic" if host.startswith("mac") else "small machine",
            "chip": "made-up chip",
            "architecture": "arm64",
            "cores": [{"kind": "performance", "count": 10}, {"kind": "efficiency", "count": 4}],
            "memory_bytes": 48_000_000_000,
            "page_bytes": 16_384,
            "virtual_machine": False,
            "storage": {
                "device_model": None,
                "bus": "nvme",
                "solid_state": True,
                "size_bytes": 2_000_000_000_000,
                "file_system": "apfs",
                "encryption": "none",
            },
            "tools": [],
        },
        "conditions": {"before": quiet, "after": quiet},
        "warnings": ["load was 1.20 before the cell: something else was running"],
        "cache": {"asked": "none", "reached": "none"},
        "durability": {"asked": "fsync", "reached": "fsync"},
        "ceiling": {
            "write_bytes_per_second": 12_000_000_000,
            "read_bytes_per_second": 15_000_000_000,
            "clock_ns": 41,
        },
        "replayed_phases": [],
        "steps": [{"step": "write", "elapsed_ns": 1_234, "note": None}],
        "samples": samples,
        "sizes": [
            {
                "state": "new",
                "allocated_bytes": 32_000_000,
                "apparent_bytes": 100_000_000_000,
                "bands": None,
                "free_bytes": 99_000_000_000,
            }
        ]
        if phase == "fresh"
        else [],
    }
