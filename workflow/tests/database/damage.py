"""Changes that damage an intact record, and some that do not.

All but the damages of text are signed again: a fitting checksum does not say that a record makes sense.
"""

import functools
import json
import operator
from collections.abc import Callable
from typing import Any

from proofs.support import bulk, records
from proofs.support.records import Record, signed

Edit = Callable[[Record], object]
# of one set in each direction
FILES = 16


def record(number: int = 1) -> Record:
    """An intact record of one set; each number is another cell."""
    made = bulk.of_mac("made-up-mac", bulk.BEGAN, number, sets=1)
    made["host"]["model"] = "synthetic Mac"
    by_op = {op: [one for one in made["samples"] if one["op"] == op] for op in ("write", "read")}
    made["samples"] = by_op["write"][:FILES] + by_op["read"][:FILES]
    used = records.use("diskimagesiod", 2, True, 2_300_000_000, 1_000_000, 53_300_000)
    made["steps"][-1]["serving"] = {"elapsed_ns": 10_000_000_000, "processes": [used]}
    return signed(made)


def put(path: tuple, value: Any) -> Edit:
    """Sets one value."""
    return lambda made: functools.reduce(operator.getitem, path[:-1], made).__setitem__(
        path[-1], value
    )


def largest(*path: str | int) -> Edit:
    """Sets a value that is computed with to the largest that the core lets in."""
    return put(path, 2**32 - 1)


SERVING = ("steps", -1, "serving")


# With a word of what is said of it without a core. What takes knowledge of the cell is tested in the core.
PLAIN: dict[str, tuple[str, Edit]] = {
    "a key too many": ("colour", put(("colour",), 1)),
    "a key too many in a file": ("samples.7", put(("samples", 7, "colour"), 1)),
    "without samples": ("samples", lambda made: made.pop("samples")),
    "without durability": ("durability", lambda made: made.pop("durability")),
    "no such format": ("colour", put(("cell", "format"), "colour")),
    "a time below nought": ("-1", put(("samples", 5, "elapsed_ns"), -1)),
    "a time beyond 63 bits": ("too large", put(("samples", 5, "elapsed_ns"), 2**63)),
    "a fraction": ("1.5 is not an integer", put(("samples", 0, "elapsed_ns"), 1.5)),
    "no such day": ("started_utc", put(("started_utc",), "2026-02-30T12:00:00Z")),
    "no such day of its end": ("finished_utc", put(("finished_utc",), "2026-02-30T12:00:00Z")),
    "a storage with a slash": ("a/b", put(("cell", "storage"), "a/b")),
    "a storage with a line feed": ("storage", put(("cell", "storage"), "a\nb")),
    "a file without a size": ("size_bytes", lambda made: made["samples"][3].pop("size_bytes")),
    "a place beyond 32 bits": ("4294967296", put(("samples", 0, "order"), 2**32)),
    "a longer text than any of ours": ("host.chip", put(("host", "chip"), "x" * 10_001)),
    "more warnings than any record of ours": ("warnings", put(("warnings",), ["w"] * 1_001)),
    "two files of one place": ("same place", lambda made: made["samples"][1].update(order=made["samples"][0]["order"])),
}  # fmt: skip

Text = Callable[[bytes], bytes]
TEXTS: dict[str, Text] = {
    "cut": lambda text: text[:-40],
    "empty": lambda text: b"",
    "spaces": lambda text: b"  \n",
    "a list": lambda text: b"[" + text + b"]",
    "null": lambda text: b"null",
    "a number": lambda text: b"1",
    "a text": lambda text: b'"record"',
    "an empty object": lambda text: b"{}",
    "followed by more": lambda text: text + b"{}",
    "followed by a nul": lambda text: text + b"\0",
    "with a byte order mark": lambda text: b"\xef\xbb\xbf" + text,
    "not UTF-8": lambda text: text.replace(b"synthetic", b"synth\xfftic"),
    "UTF-16": lambda text: text.decode().encode("utf-16"),
    "a key twice": lambda text: text.replace(b'"position": 1', b'"position": 7, "position": 1'),
    "a comment": lambda text: b"// a record\n" + text,
    "a comma too many": lambda text: text[:-1] + b",}",
    "single quotes": lambda text: text.replace(b'"', b"'"),
    "not a number": lambda text: text.replace(b'"position": 1', b'"position": NaN'),
    "infinity": lambda text: text.replace(b'"position": 1', b'"position": Infinity'),
    "a decimal point": lambda text: text.replace(b'"position": 1', b'"position": 1.0'),
    "an exponent": lambda text: text.replace(b'"position": 1', b'"position": 1e0'),
    "a leading nought": lambda text: text.replace(b'"position": 1', b'"position": 01'),
    "a number of 9,000 digits": lambda text: text.replace(b'"position": 1', b'"position": ' + b"1" * 9000),
    "no checksum": lambda text: text.replace(b'"sha256": ', b'"sha512": '),
    "a digit changed": lambda text: text.replace(b'"position": 1', b'"position": 2'),
    "another checksum": lambda text: text.replace(b'"sha256": "', b'"sha256": "0'),
    "half of a character": lambda text: text.replace(b"synthetic", b"\\ud800"),
    "a line break in a text": lambda text: text.replace(b"synthetic", b"synth\netic"),
    "200 lists inside each other": lambda text: b'{"a": ' + b"[" * 200 + b"]" * 200 + b"}",
    "100,000 lists inside each other": lambda text: b"[" * 100_000,
    "more values than allowed": lambda text: b"[" + b"0," * 2_000_000 + b"0]",
    "longer than allowed": lambda text: text + b" " * (32 << 20),
}  # fmt: skip
# a word of what is said of a damage, where no core judges it
SAID = {what: word for what, (word, _) in PLAIN.items()} | {
    "a digit changed": "checksum does not match",
    "cut": "not valid JSON",
    "empty": "not valid JSON",
    "a list": "record: ",
    "not UTF-8": "not UTF-8",
    "no checksum": "sha256",
}
WHOLE: dict[str, Edit] = {
    "as it was": lambda made: None,
    "a failure with a reason": lambda made: made.update(
        status="failed", reason="the disk is full", samples=made["samples"][:3], sizes=made["sizes"][:1]
    ),
    "text of all kinds": lambda made: made.update(
        warnings=["", "\0", "é", "\U0001f600", "\x1b[2J", "x" * 10_000], warning_codes=["in-memory"] * 6
    ),
    "largest position": lambda made: made.update(position=2**32 - 1, planned=2**32 - 1),
    "largest epoch": largest("harness", "epoch"),
    "largest repeat": largest("cell", "repeat"),
    "most processes": largest(*SERVING, "processes", 0, "count"),
    "most processes that ended": largest(*SERVING, "processes", 0, "ended"),
    "longest use of a processor": put((*SERVING, "processes", 0, "cpu_ns"), 2**63 - 1),
    "longest use": put((*SERVING, "elapsed_ns"), 2**63 - 1),
    "largest ceiling": put(("ceiling", "write_bytes_per_second"), 2**63 - 1),
    "largest image": put(("sizes", 0, "allocated_bytes"), 2**63 - 1),
    "files in no time": lambda made: [one.update(elapsed_ns=0) for one in made["samples"]],
    "no ceiling": put(("ceiling",), None),
}  # fmt: skip


def edited(number: int, edit: Edit) -> bytes:
    """The text of the record with this number, edited and signed again."""
    made = record(number)
    edit(made)
    return json.dumps(signed(made), ensure_ascii=False).encode()


def texts() -> list[tuple[str, bool, bytes]]:
    """Name, whether it is damaged, and text of each; the place of each is that of its number, from 1."""
    made: list[tuple[str, bool, bytes]] = []
    plain = {what: edit for what, (_, edit) in PLAIN.items()}
    for damaged, edits in ((True, plain), (False, WHOLE)):
        made += [
            (name, damaged, edited(number, edit))
            for number, (name, edit) in enumerate(edits.items(), len(made) + 1)
        ]
    for number, (name, spoil) in enumerate(TEXTS.items(), len(made) + 1):
        made.append((name, True, spoil(json.dumps(record(number), ensure_ascii=False).encode())))
    return made
