"""Archives that nobody should send: paths that lead out, links, devices, bombs."""

import gzip
import io
import json
import tarfile
from collections.abc import Callable

from contribution import archive
from proofs.support.records import Record, signed
from record import path_of

REGULAR = tarfile.REGTYPE
MARK = {archive.SENDER: b"0123456789abcdef" * 2 + b"\n"}


def file_of(made: Record) -> tuple[str, bytes]:
    """A record's path and text in an archive."""
    text = json.dumps(signed(made), indent=2, sort_keys=True, ensure_ascii=False)
    return path_of(made["cell"]), text.encode()


def _two_hosts(made: Record) -> bytes:
    first = file_of(made)
    made["cell"]["host"] += "-b"
    return archive.pack(dict([first, file_of(made)]))


def _with(name: str, kind: bytes = REGULAR, target: str = "") -> Callable[[Record], bytes]:
    """An archive of the record and of one entry more: name, kind, where it leads."""

    def made_of(made: Record) -> bytes:
        path, text = file_of(made)
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as written:
            for one, of_kind, to in [(path, REGULAR, ""), (name, kind, target)]:
                capital = path.replace("fresh", "Fresh")
                entry = tarfile.TarInfo(one.format(name=path, capital=capital))
                entry.type, entry.linkname = of_kind, to
                entry.size = len(text) if of_kind == REGULAR else 0
                written.addfile(entry, io.BytesIO(text))
        return packed.getvalue()

    return made_of


def _sparse(made: Record) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", format=tarfile.PAX_FORMAT) as written:
        entry = tarfile.TarInfo(path_of(made["cell"]))
        size = 2 * archive.MOST_UNPACKED
        entry.pax_headers = {"GNU.sparse.map": f"0,0,{size},0", "GNU.sparse.size": f"{size}"}
        written.addfile(entry)
    return packed.getvalue()


# what is made of a record, and the words by which it is refused
HARMFUL: dict[str, tuple[Callable[[Record], bytes], str]] = {
    "a path upwards": (_with("../../{name}"), "is not the path of a record"),
    "a path from the root": (_with("/tmp/{name}"), "is not the path of a record"),
    "a symbolic link": (
        _with("{name}x.json", tarfile.SYMTYPE, "/etc/passwd"),
        "is not a regular file",
    ),
    "a hard link": (_with("{name}x.json", tarfile.LNKTYPE, "/etc/passwd"), "is not a regular file"),
    "a device": (_with("{name}x.json", tarfile.CHRTYPE), "is not a regular file"),
    "a FIFO": (_with("{name}x.json", tarfile.FIFOTYPE), "is not a regular file"),
    "a name twice": (_with("{name}"), "occurs twice in it"),
    "a name in another case": (_with("{capital}"), "occurs twice in it"),
    "no record": (_with("notes.txt"), "is not the path of a record"),
    "a name of a megabyte": (_with("notes" * 200_000), "is not the path of a record"),
    "the name of a superseded record, which nobody checks": (
        _with("{name}.superseded-01234567.json"),
        "is not the path of a record",
    ),
    "two hosts": (_two_hosts, "records of several hosts"),
    "a bomb": (
        lambda _: gzip.compress(bytes(archive.MOST_UNPACKED + 1024)),
        "it contains more than",
    ),
    "a sparse file": (_sparse, "is not a regular file"),
    "a cut archive": (
        lambda made: archive.pack(dict([file_of(made)]) | MARK)[:-200],
        "it is damaged",
    ),
    "an empty archive": (lambda _: archive.pack(MARK), "it has no record"),
    "no mark": (lambda made: archive.pack(dict([file_of(made)])), "it has no mark"),
    "another text for a mark": (
        lambda made: archive.pack(dict([file_of(made)]) | {archive.SENDER: b"Jane"}),
        "it has no mark",
    ),
    "another file under the name of a record": (
        lambda made: archive.pack({path_of(made["cell"]): b"[1]"} | MARK),
        "its content is not a record",
    ),
    "no archive": (lambda _: b"PK\x03\x04" + bytes(400), "it is damaged"),
    "nothing": (lambda _: b"", "it is damaged"),
}
