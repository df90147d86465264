"""The records' files by host, and what the database that is there was made from.

Each table but the published ones is made of the records of one host at a time, so a host is what is
computed anew. `<database>.made-from.json` keeps, beside the database, one word for the rules
that it was made by and one for the files of each host; a host whose word is still the same keeps
its Parquet. The word is of names, sizes and times: no record is read for it.
"""

import hashlib
import importlib.metadata
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

import durable
import stamp
import vocabulary
import voucher
from database import macos
from database.records import as_text
from probe.taking_in.filing import PROBES
from record_files import LARGEST_BYTES, Found, below

# How what is computed by Python and DuckDB may come out differently: their versions.
LIBRARIES = ("duckdb", "numpy", "scipy", "jsonschema_rs")
SCRIPTS = Path(__file__).parent


@dataclass(frozen=True)
class Host:
    """The records' files of one host: below the runs folder, in the order of their paths."""

    name: str
    files: tuple[str, ...]
    size_bytes: int
    word: str


@dataclass(frozen=True)
class MadeFrom:
    """What a database was made from, and the Parquet files that were made with it.

    `hosts` gives the word of each host, `loaded` how many of its records were taken in, `files`
    the size and the time of each Parquet file.
    """

    rules: str
    stamp: str
    hosts: dict[str, str]
    loaded: dict[str, int] = field(default_factory=dict)
    files: dict[str, list[int]] = field(default_factory=dict)


def hosts(runs: Path) -> dict[str, Host]:
    """Every host with a file below `runs`: the first folder of its path, sorted by name."""
    found: dict[str, list[Found]] = {}
    for file in below(runs):
        # as the tables have it: what a folder is called may be no text
        found.setdefault(as_text(file.name.partition("/")[0]), []).append(file)
    return {name: _host(name, found[name], runs) for name in sorted(found)}


def _host(name: str, files: list[Found], runs: Path) -> Host:
    words = hashlib.sha256()
    for release in sorted({"/".join(file.name.split("/")[:2]) for file in files}):
        if told := state(runs / release / voucher.FILE):
            words.update(f"{release} {told}\n".encode("utf-8", "surrogateescape"))
    size_bytes = 0
    for file in files:
        status = file.status
        # the time of change tells an edit that kept size and time of modification
        told = (status.st_size, status.st_mtime_ns, status.st_ctime_ns) if status else ()
        size_bytes += min(status.st_size, LARGEST_BYTES) if status else 0
        words.update(f"{file.name} {told}\n".encode("utf-8", "surrogateescape"))
    return Host(name, tuple(file.name for file in files), size_bytes, words.hexdigest()[:16])


def rules(published: Path, sql: Path, schema: Path, probes: Path = PROBES) -> str:
    """One word for everything else that the tables hang on."""
    words = hashlib.sha256()
    for library in LIBRARIES:
        words.update(f"{library} {importlib.metadata.version(library)}\n".encode())
    files = {*published.glob("*.csv"), *sql.rglob("*.sql"), *sql.glob("*.yaml"), schema}
    files |= {*SCRIPTS.rglob("*.py"), *macos.SOURCES, *probes.glob("*/*/probe.json")}
    files |= {
        vocabulary.FILE,
        *vocabulary.PROTOCOLS.values(),
        SCRIPTS.parent / "voucher.py",
        *SCRIPTS.parent.glob("record*.py"),
    }
    for file in sorted(files):
        if file.is_file():  # a missing one is told where it is read
            words.update(f"{file.name}\n".encode() + file.read_bytes())
    return words.hexdigest()[:16]


def state(file: Path) -> list[int] | None:
    """Size and time of a file, by which one that was cut or replaced is told; None without it."""
    try:
        status = file.stat()
    except (OSError, ValueError):
        return None
    return [status.st_size, status.st_mtime_ns]


def read(database: Path) -> MadeFrom | None:
    """What the database at this path was made from; None where that is not known."""
    try:
        return MadeFrom(**json.loads(note(database).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def is_as_made(
    before: MadeFrom | None, database: Path, parquet: Path, rules: str, words: dict[str, str]
) -> bool:
    """Whether database and Parquet are as they were made, and would be made the same again."""
    return (
        before is not None
        and (before.rules, before.hosts) == (rules, words)
        and database.exists()
        and stamp.of(database) == before.stamp
        and all(state(parquet / file) == was for file, was in before.files.items())
    )


def write(database: Path, made_from: MadeFrom) -> None:
    """Keep it beside the database, which is in its place already."""
    durable.write(note(database), json.dumps(asdict(made_from), indent=1) + "\n")


def note(database: Path) -> Path:
    """The file beside a database that keeps what it was made from."""
    return database.with_name(f"{database.name}.made-from.json")
