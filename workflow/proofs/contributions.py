"""Whether thousands of archives of records are imported, and edited ones refused or labelled.

Usage: bash workflow/prove.sh contributions [--archives N] [--macs N] [--edited N] [--save]
  --archives   submissions of synthetic Macs (1000), two records each
  --macs       Macs that they come from (300)
  --edited     archives that somebody changed (500): values, hosts, clocks, duplicates, personal
               facts, paths, links, devices, bombs
  --save       keeps the figures in data/proofs/contributions.json

Also the time to pack and to import a gold study of 120 records. Nothing reaches data/runs.
"""

import gzip
import io
import json
import tarfile
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import voucher
from arguments import whole_number
from console import StudyError
from contribution import archive
from contribution.check import contents
from contribution.taking import take
from proofs.support import core, goals, made_up, proof
from proofs.support.proof import PROJECT, Figure
from proofs.support.records import Record, signed
from record import path_of

SCHEMA = PROJECT / "workflow/schemas/record.schema.json"
GOLD_RECORDS = 120
MOST_BYTES = goals.at_most(archive.MOST_BYTES, f"<= {archive.MOST_BYTES:,} bytes")
MOST_SECONDS = goals.at_most(60, "<= 60 s")
BEGAN = datetime(2026, 5, 20, 0, 0)


@dataclass
class Outcome:
    """How many archives of each end."""

    taken: int = 0
    again: int = 0
    refused: int = 0
    labelled: int = 0
    wrong: list[str] = field(default_factory=list)


def main(words: list[str]) -> None:
    """Print the figures, and save them with --save."""
    parser = proof.arguments("contributions")
    parser.add_argument("--archives", type=whole_number, default=1000)
    parser.add_argument("--macs", type=whole_number, default=300)
    parser.add_argument("--edited", type=whole_number, default=500)
    asked = parser.parse_args(words)
    core.build()
    program = PROJECT / core.RELEASE / "diskbench"
    with tempfile.TemporaryDirectory() as folder:
        figures = [
            *gold(Path(folder) / "gold", program),
            *many(Path(folder) / "many", asked.archives, asked.macs, asked.edited, program),
        ]
    proof.show(asked, "contributions", "Archives of records, as others may send them", figures)


def gold(home: Path, program: Path | None, records: int = GOLD_RECORDS) -> list[Figure]:
    """What a study of one Mac takes."""
    home.mkdir(parents=True)
    files = dict(map(_file, (record("mac-gold", number) for number in range(records))))
    began = time.monotonic()
    packed = archive.pack(files)
    (home / "gold.tgz").write_bytes(packed)
    made = time.monotonic() - began
    taken = take(home / "gold.tgz", home / "runs", voucher.COMMUNITY, SCHEMA, program, {})
    if taken.new != records:
        raise AssertionError(f"a good archive was not imported: {taken}")
    seconds = time.monotonic() - began
    return [
        proof.counted(
            f"a gold study of {records} records, packed", len(packed), "bytes", MOST_BYTES
        ),
        Figure("time to pack it", made, "s"),
        proof.counted("time to pack and import it", seconds, "s", MOST_SECONDS),
    ]


def many(home: Path, archives: int, macs: int, edited: int, program: Path | None) -> list[Figure]:
    """What became of so many archives, and of those that were edited."""
    found = trial(home, archives, macs, edited, program)
    return [
        Figure(f"archives imported, of {archives:,} from {macs} Macs", found.taken),
        Figure("archives imported a second time, without any change", found.again),
        Figure(f"edited archives refused, of {edited}", found.refused),
        Figure("edited but plausible archives, imported and marked “community”", found.labelled),
        proof.counted(
            "conflicts, crashes and edited archives that passed", len(found.wrong), "", goals.NONE
        ),
    ]


def trial(home: Path, archives: int, macs: int, edited: int, program: Path | None) -> Outcome:
    """Send archives to an empty folder of runs, every tenth twice, and edited ones among them."""
    home.mkdir(parents=True)
    runs, path = home / "runs", home / "sent.tgz"
    known = contents(runs)
    found = Outcome()

    def send(packed: bytes) -> str:
        path.write_bytes(packed)
        try:
            taken = take(path, runs, voucher.COMMUNITY, SCHEMA, program, known)
        except StudyError:
            return "refused"
        return "refused" if taken.refused or taken.why else f"{taken.new} new"

    for number in range(archives):
        mac, study = number % macs, number // macs
        files = dict(
            _file(record(f"mac-{mac:04}", 2 * study + one, seed=number)) for one in range(2)
        )
        if (end := send(archive.pack(files))) == "2 new":
            found.taken += 1
        else:
            found.wrong.append(f"archive {number}: {end}")
        if number % 10 == 0:
            if (end := send(archive.pack(files))) == "0 new":
                found.again += 1
            else:
                found.wrong.append(f"archive {number} again: {end}")
    kinds = list(EDITS.items())
    for number in range(edited):
        name, edit = kinds[number % len(kinds)]
        before = _below(runs)
        end = send(edit(record(f"edited-{number:04}", 0, seed=archives + number)))
        label = runs / f"edited-{number:04}" / RELEASE / voucher.FILE
        if end == "refused" and _below(runs) == before and name != "plausible":
            found.refused += 1
        elif end == "1 new" and name == "plausible" and label.read_text() == "community\n":
            found.labelled += 1
        else:
            found.wrong.append(f"{name}: {end}")
    return found


RELEASE = made_up.RELEASES[1]


def record(host: str, number: int, seed: int = 0) -> Record:
    """A record as a Mac would have left it: so many hours after the first of its host."""

    def noise(at: int) -> int:
        return (at * 7919 + number * 104_729 + seed * 1_299_709) % 99_991 * 10

    return made_up.of_mac(host, BEGAN + timedelta(hours=number), number + 1, noise)


def _file(made: Record) -> tuple[str, bytes]:
    return path_of(made["cell"]), _text(signed(made))


def _text(made: Record) -> bytes:
    return json.dumps(made, indent=2, sort_keys=True, ensure_ascii=False).encode()


def _below(runs: Path) -> int:
    return sum(1 for _ in runs.glob("*"))


def _signed(change: Callable[[Record], object]) -> Callable[[Record], bytes]:
    """An archive of a record that was changed and signed again."""

    def edit(made: Record) -> bytes:
        change(made)
        return archive.pack(dict([_file(made)]))

    return edit


def _unsigned(made: Record) -> bytes:
    name, text = _file(made)
    return archive.pack({name: text.replace(b'"elapsed_ns": 1000000', b'"elapsed_ns": 1000001', 1)})


def _misplaced(made: Record) -> bytes:
    name, text = _file(made)
    return archive.pack({name.replace("edited", "another", 1): text})


def _twice(made: Record) -> bytes:
    first = _file(made)
    made["cell"]["repeat"] = 2
    made["started_utc"], made["finished_utc"] = "2026-06-01T10:00:00Z", "2026-06-01T10:00:50Z"
    return archive.pack(dict([first, _file(made)]))


def _two_hosts(made: Record) -> bytes:
    first = _file(made)
    made["cell"]["host"] += "-b"
    return archive.pack(dict([first, _file(made)]))


def _with(*entries: tuple[str, bytes, str]) -> Callable[[Record], bytes]:
    """An archive of the record and of entries more: name, kind, where it leads."""

    def edit(made: Record) -> bytes:
        name, text = _file(made)
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as written:
            for one, kind, target in [(name, tarfile.REGTYPE, ""), *entries]:
                entry = tarfile.TarInfo(one.format(name=name, upper=name.upper()))
                entry.type, entry.linkname = kind, target
                entry.size = len(text) if kind == tarfile.REGTYPE else 0
                written.addfile(entry, io.BytesIO(text))
        return packed.getvalue()

    return edit


def _sparse(made: Record) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", format=tarfile.PAX_FORMAT) as written:
        entry = tarfile.TarInfo(path_of(made["cell"]))
        size = 2 * archive.MOST_UNPACKED
        entry.pax_headers = {"GNU.sparse.map": f"0,0,{size},0", "GNU.sparse.size": f"{size}"}
        written.addfile(entry)
    return packed.getvalue()


def _bomb(_: Record) -> bytes:
    return gzip.compress(b"\0" * (archive.MOST_UNPACKED + 1024))


def _cut(made: Record) -> bytes:
    return archive.pack(dict([_file(made)]))[:-200]


def _set(*way: str | int, to: object) -> Callable[[Record], object]:
    def change(made: Record) -> None:
        *steps, last = way
        place = made
        for step in steps:
            place = place[step]
        place[last] = to

    return change


REGULAR = tarfile.REGTYPE
EDITS: dict[str, Callable[[Record], bytes]] = {
    "plausible": _signed(_set("samples", 3, "elapsed_ns", to=400_001)),
    "a value, not signed again": _unsigned,
    "no time": _signed(_set("samples", 3, "elapsed_ns", to=0)),
    "a size that the cell has not": _signed(_set("samples", 3, "size_bytes", to=12_345)),
    "faster than memory": _signed(_set("ceiling", "read_bytes_per_second", to=500_000_000)),
    "a text for a number": _signed(_set("samples", 3, "elapsed_ns", to="fast")),
    "a newer form": _signed(_set("record_version", to=2)),
    "another host's place": _misplaced,
    "two hosts": _two_hosts,
    "a host that leads out": _signed(_set("cell", "host", to="../../x")),
    "a synthetic host": _signed(_set("host", "model", to="synthetic Mac")),
    "a stand-in": _signed(_set("host", "stand_in", to=True)),
    "a clock that runs backwards": _signed(_set("finished_utc", to="2020-01-01T00:00:00Z")),
    "a clock of the future": _signed(
        lambda made: made.update(
            started_utc="2096-01-01T00:00:00Z", finished_utc="2096-01-01T00:01:00Z"
        )
    ),
    "a duplicate": _twice,
    "a home folder": _signed(_set("warnings", to=["/Users/jane/bench was busy"])),
    "a mail address": _signed(_set("host", "storage", "description", to="jane@example.org")),
    "a serial number": _signed(_set("host", "storage", "description", to="C02XK1ZZJGH5")),
    "a path upwards": _with(("../../{name}", REGULAR, "")),
    "a path from the root": _with(("/tmp/{name}", REGULAR, "")),
    "a symbolic link": _with(("{name}x.json", tarfile.SYMTYPE, "/etc/passwd")),
    "a hard link": _with(("{name}x.json", tarfile.LNKTYPE, "/etc/passwd")),
    "a device": _with(("{name}x.json", tarfile.CHRTYPE, "")),
    "a FIFO": _with(("{name}x.json", tarfile.FIFOTYPE, "")),
    "a name twice": _with(("{name}", REGULAR, "")),
    "a name in another case": _with(("{upper}.json", REGULAR, "")),
    "no record": _with(("notes.txt", REGULAR, "")),
    "a bomb": _bomb,
    "a sparse file": _sparse,
    "a cut archive": _cut,
    "no archive": lambda _: b"PK\x03\x04" + bytes(400),
    "nothing": lambda _: b"",
}
