"""The records' files by host, and the sources of the existing database.

Tables other than published ones are computed host by host. `<database>.made-from.json` beside the
database has a hash of the rules and one of the files of each host; a host with an unchanged hash
keeps its Parquet. The hash covers names, sizes and times, so no record is read for it.
"""

import hashlib
import importlib.metadata
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import durable
import vocabulary
import voucher
import withdrawn
from database import macos
from database.records import as_text
from record_files import Found, below, state

# versions that may change the results of Python and DuckDB
LIBRARIES = ("duckdb", "numpy", "scipy", "jsonschema_rs")
SCRIPTS = Path(__file__).parent


@dataclass(frozen=True)
class Host:
    """The records' files of one host below the runs folder, sorted by path."""

    name: str
    files: tuple[str, ...]
    size_bytes: int
    word: str


@dataclass(frozen=True)
class MadeFrom:
    """The sources of a database, and the Parquet files made with it.

    `database` has its size and time, `hosts` the hash of each host, `loaded` the number of its
    loaded records, `files` the size and time of each Parquet file.
    """

    rules: str
    database: list[int] | None
    hosts: dict[str, str]
    loaded: dict[str, int]
    files: dict[str, list[int]]


def hosts(runs: Path, withdrawn_records: Path = withdrawn.FILE) -> dict[str, Host]:
    """Every host with a file below `runs`: the first folder of its path, sorted by name.

    Withdrawn records are left out.
    """
    found: dict[str, list[Found]] = {}
    left_out = withdrawn.below(runs, withdrawn_records)
    for file in below(runs):
        if file.name in left_out:
            continue
        # as in the tables: the name of a folder may be undecodable
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
        # ctime reveals an edit that kept size and mtime
        told = (status.st_size, status.st_mtime_ns, status.st_ctime_ns) if status else ()
        size_bytes += status.st_size if status else 0
        words.update(f"{file.name} {told}\n".encode("utf-8", "surrogateescape"))
    return Host(name, tuple(file.name for file in files), size_bytes, words.hexdigest()[:16])


def rules(published: Path, sql: Path, schema: Path, probes: Path, withdrawn_records: Path) -> str:
    """A hash of everything else that the tables depend on."""
    words = hashlib.sha256()
    for library in LIBRARIES:
        words.update(f"{library} {importlib.metadata.version(library)}\n".encode())
    for file in files_of_rules(published, sql, schema, probes, withdrawn_records):
        words.update(f"{file.name}\n".encode() + file.read_bytes())
    return words.hexdigest()[:16]


def files_of_rules(
    published: Path, sql: Path, schema: Path, probes: Path, withdrawn_records: Path
) -> list[Path]:
    """The files with whose content `rules` makes its hash, sorted."""
    files = {*published.glob("*.csv"), *sql.rglob("*.sql"), *sql.glob("*.yaml"), schema}
    files.add(withdrawn_records)
    files |= {*SCRIPTS.rglob("*.py"), *macos.SOURCES, *probes.glob("*/*/probe.json")}
    files |= {
        vocabulary.FILE,
        *vocabulary.PROTOCOLS.values(),
        SCRIPTS.parent / "voucher.py",
        SCRIPTS.parent / "withdrawn.py",
        *SCRIPTS.parent.glob("record*.py"),
    }
    # a missing file is reported where it is read
    return sorted(file for file in files if file.is_file())


def read(database: Path) -> MadeFrom | None:
    """The sources of the database at this path; None if unknown."""
    try:
        return MadeFrom(**json.loads(note(database).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def is_as_made(
    before: MadeFrom | None, database: Path, parquet: Path, rules: str, words: dict[str, str]
) -> bool:
    """Whether database and Parquet are unchanged and up to date."""
    return (
        before is not None
        and (before.rules, before.hosts) == (rules, words)
        and before.database == state(database)
        and all(state(parquet / file) == was for file, was in before.files.items())
    )


def write(database: Path, made_from: MadeFrom) -> None:
    """Save the sources beside the database, which is in place already."""
    durable.write(note(database), json.dumps(asdict(made_from), indent=1) + "\n")


def note(database: Path) -> Path:
    """The file beside a database with its sources."""
    return database.with_name(f"{database.name}.made-from.json")
