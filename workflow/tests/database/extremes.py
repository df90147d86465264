"""Records with extreme values, by the rules of the schema.

Made from small records that the core calls whole; signed again, so that nothing but the value is wrong. Together they
have every key of the schema.
"""

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from made_up import image, without_figures

from proofs.support import bulk, records
from proofs.support.records import Record
from record import path_of

Path_ = tuple[str | int, ...]
Of = Callable[..., Record]

SCHEMA = Path(__file__).parents[2] / "schemas" / "record.schema.json"
LARGEST = 2**63 - 1
INTEGERS = (0, 1, 2**31 - 1, 2**32 - 1, 2**32, 2**53 + 1, 2**60, 2**62, LARGEST, -1, -(2**31), -LARGEST, 2**63, 2**64)  # fmt: skip
TEXTS = ("", "x" * 10_000, "\0", "\U0010ffff" * 100, "0", "9" * 400, "..", "null", "-1e999", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-02-30T12:00:00Z")  # fmt: skip
# in place of a value: its key is not there
GONE = "gone"
FILES = 16
# Steps with what only some of them have.
LATER = [
    {"step": "attach"},
    {"step": "settle", "seconds": 5},
    {"step": "delete", "which": "largest", "files": 3},
    {"step": "delete", "which": "last-sets", "sets": 1},
    {"step": "write"},
]


def record(number: int = 1) -> Record:
    """A whole record of one set, with all that a measured record may hold; each number is another cell."""
    made = bulk.of_mac("made-up-mac", bulk.BEGAN, number, encryption="AES-256", sets=1)
    made["host"]["model"] = "synthetic Mac"
    by_op = {op: [one for one in made["samples"] if one["op"] == op] for op in ("write", "read")}
    made["samples"] = by_op["write"][:FILES] + by_op["read"][:FILES]
    made["quiet"] = records.quiet(backup=False)
    made["image"] = image(made, band_bytes=8_388_608)
    made["host"]["storage"] |= {"description": "in a case", "device_model": "APPLE SSD AP0512Z"}
    made["host"]["tools"] = [{"name": "hdiutil", "version": "683"}]
    made["warnings"] = ["load was 1.20 after the cell: something else was running"]
    made["warning_codes"] = ["busy"]
    made["ceiling"] |= {
        f"{what}_bytes_per_second": 9_000_000_000 for what in ("null_write", "null_read", "content")
    }
    made["steps"][0]["commands"] = [records.command("hdiutil", "create <image>", 800)]
    made["steps"][-1]["serving"] = {
        "elapsed_ns": 10_000_000_000,
        "processes": [
            records.use("diskimagesiod", 2, True, 2_300_000_000, 1_000_000, 53_300_000)
            | {"ended": 1}
        ],
    }
    made["steps"][0]["note"] = "busy once"
    made["steps"][0]["commands"][0]["code"] = 16
    for size in made["sizes"]:
        size["volume_free_bytes"] = 99_000_000_000
    made["cell"]["phases"].append({"phase": "emptied", "steps": copy.deepcopy(LATER)})
    return records.signed(made)


def other(number: int = 1) -> Record:
    """An intact record of a failed cell of a stand-in, with keys that a measured one lacks."""
    made = record(number)
    made["cell"] |= {"phase": "emptied", "host": "stand-in-mac"}
    made["cell"] |= {"band_bytes": 8_388_608, "block_bytes": 4096}
    made["image"] = image(made)
    made["access"] = {"cipher_threads": 2, "ahead_bytes": 4_194_304}
    made["host"]["stand_in"] = True
    made["replayed_phases"] = ["fresh"]
    return records.signed(without_figures(made, "failed", "the disk was gone; connect it"))


RECORDS: tuple[Of, ...] = (record, other)


def alone() -> Iterator[tuple[Of, Path_, Any]]:
    """Every extreme value at every place of both records."""
    for of in RECORDS:
        for path in places(of()):
            gone = [GONE] if isinstance(path[-1], str) else []
            for value in [*values(at(of(), path)), *gone]:
                yield of, path, value


def places(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    """Every place in a record: of a list its first and last, and all objects on the way."""
    if path and path[0] != "sha256":
        yield path
    if isinstance(value, dict):
        for key, inside in value.items():
            yield from places(inside, (*path, key))
    if isinstance(value, list) and value:
        for at in sorted({0, len(value) - 1}):
            yield from places(value[at], (*path, at))


def values(here: Any) -> list[Any]:
    """The extreme values in place of this one; some are of a kind that does not belong there."""
    if isinstance(here, bool):
        return [not here, None, 1]
    if isinstance(here, int):
        return [*INTEGERS, None, True, "1"]
    if isinstance(here, str):
        return [*TEXTS, *_words(), None, 0]
    if isinstance(here, list):
        return [[], here[:1], here * 2, here[::-1], None, {}]
    if isinstance(here, dict):
        return [{}, None, [], here | {"colour": "red"}]
    return [*INTEGERS[:4], LARGEST, "", True, None]


def _words() -> list[str]:
    """Every word that the schema lists anywhere."""
    found: set[str] = set()
    waiting = [json.loads(SCHEMA.read_text(encoding="utf-8"))]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            found |= {one["const"]} if isinstance(one.get("const"), str) else set()
            found |= {word for word in one.get("enum", []) if isinstance(word, str)}
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return sorted(found)


def changed(of: Of, number: int, changes: list[tuple[Path_, Any]]) -> Record:
    """A record with these values."""
    made = of(number)
    for path, value in changes:
        if value is GONE:
            del at(made, path[:-1])[path[-1]]
        else:
            at(made, path[:-1])[path[-1]] = copy.deepcopy(value)
    return records.signed(made)


def at(value: Any, path: Path_) -> Any:
    """What is at this place."""
    for step in path:
        value = value[step]
    return value


def save(made: Record, runs: Path, number: int, of: Of = record) -> str:
    """Write it where its cell says, or where the unchanged one would be; its name below `runs`."""
    own = path_of(of(number)["cell"])
    try:
        name = path_of(made["cell"])
        fits = name.count("/") == own.count("/") and all(
            0 < len(part) < 200 and part.isascii() and part.isprintable() and part[0] != "."
            for part in name.split("/")
        )
        name = name if fits else own
    except (KeyError, TypeError):
        name = own
    (runs / name).parent.mkdir(parents=True, exist_ok=True)
    (runs / name).write_text(json.dumps(made), encoding="utf-8")
    return name
