"""Archives of records and of their sender's mark: packed reproducibly, read as untrusted input.

Reading has limits and writes nothing: an archive becomes a mapping from paths below the runs
folder to contents.
"""

import gzip
import io
import tarfile
import zlib
from collections.abc import Mapping
from pathlib import Path

from console import ExitCode, StudyError
from record import is_cell_id, shorten
from voucher import MARK

# the entry with the sender's mark
SENDER = "sender"
ENDING = ".tgz"  # GitHub accepts it as an attachment
GZIP = b"\x1f\x8b"  # the first bytes (RFC 1952)
# limits of an archive and of its contents; a gold study has some hundred records of 60 kB
MOST_BYTES = 1_000_000
MOST_UNPACKED = 64_000_000


def pack(files: Mapping[str, bytes]) -> bytes:
    """The bytes of an archive of these files; equal files give equal bytes."""
    packed = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9, mtime=0) as stream,
        tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name in sorted(files):
            entry = tarfile.TarInfo(name)
            entry.size = len(files[name])
            archive.addfile(entry, io.BytesIO(files[name]))
    return packed.getvalue()


def unpack(path: Path) -> tuple[dict[str, bytes], str]:
    """The records of an archive by path, and its sender's mark. Raises StudyError."""
    try:
        if not path.is_file():
            raise StudyError(
                ExitCode.BAD_INPUT, f"{path} is not a file: name an archive of records"
            )
        with path.open("rb") as file:
            content = file.read(MOST_UNPACKED + 1)
    except (OSError, ValueError) as error:
        raise StudyError(ExitCode.BAD_INPUT, f"{path} cannot be read ({error})") from error
    # Safari decompresses what it downloads, and leaves the tar
    is_packed = content.startswith(GZIP)
    most = MOST_BYTES if is_packed else MOST_UNPACKED
    if len(content) > most:
        raise refused(path, f"it is longer than {most} bytes")
    try:
        if is_packed:
            with gzip.GzipFile(fileobj=io.BytesIO(content)) as stream:
                content = stream.read(MOST_UNPACKED + 1)
            if len(content) > MOST_UNPACKED:
                raise refused(path, f"it contains more than {MOST_UNPACKED} bytes")
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
            return _files(path, archive)
    except (OSError, EOFError, ValueError, zlib.error, tarfile.TarError, RecursionError) as error:
        raise refused(path, "it is damaged, or not an archive that submit made") from error


def _files(path: Path, archive: tarfile.TarFile) -> tuple[dict[str, bytes], str]:
    found: dict[str, bytes] = {}
    names: set[str] = set()
    for entry in archive:
        name = entry.name
        # a header of a few bytes may unpack to a name of megabytes
        shown = shorten(repr(name))
        # a sparse entry of a few bytes expands to the size in its header
        if not entry.isreg() or entry.issparse():
            raise refused(path, f"{shown} in it is not a regular file")
        is_record = name.endswith(".json") and is_cell_id(name.removesuffix(".json"))
        if not is_record and name != SENDER:
            raise refused(path, f"{shown} in it is not the path of a record")
        # on a Mac's file system, names that differ only in case are one: the last would be checked
        # in place of all, and all be filed
        if name.lower() in names:
            raise refused(path, f"{shown} occurs twice in it")
        names.add(name.lower())
        content = archive.extractfile(entry)
        found[name] = content.read() if content else b""
    mark = found.pop(SENDER, b"").decode("ascii", "replace")
    if not found:
        raise refused(path, "it has no record")
    if len({name.partition("/")[0] for name in found}) > 1:
        raise refused(path, "it has records of several hosts")
    if not MARK.fullmatch(mark):
        raise refused(path, "it has no mark of its sender")
    return found, mark


def refused(path: Path, why: str) -> StudyError:
    """The error for an archive that is not imported."""
    return StudyError(
        ExitCode.DAMAGED_RECORD,
        f"{path} is refused: {why}; ask for an archive that run.sh submit made",
    )
