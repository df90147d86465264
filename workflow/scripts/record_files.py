"""Finds and reads files of records, which are untrusted, without hanging and within limits.

Limits and results are those of core/diskbench-core/src/record/files.rs; tests compare the two.
"""

import itertools
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# longest file; a record of a cell's maximum of 100,000 files has some 15 MB
LARGEST_BYTES = 32 << 20
# most commas and opening brackets in a file, each of which may be a value in memory; a record of
# 100,000 files has 700,000
MOST_VALUES = 2_000_000
# most nested folders; a record is seven deep
DEEPEST_FOLDER = 32
# most files and folders in a folder of records: twenty times the records of all Macs of the
# articles under a hundred releases each
MOST_ENTRIES = 1_000_000

# in the name of a record that was superseded when its cell was measured again
SUPERSEDED = ".superseded-"

# reported instead of the whole folder if it contains too much
WHOLE = "."


class DamageError(Exception):
    """The fault of a record; `kind` in one word, and `advice` for a record in data/runs."""

    kind = "damaged"
    advice = "restore the file, or delete it to measure its cell again"


class FileError(DamageError):
    """A file that cannot be a record; its content was not read."""

    advice = "remove it, or put a regular file in its place"


@dataclass(frozen=True)
class Found:
    """A file with the name of a record, or an unsearchable folder: its path below the root, with
    `/`, and the system's error, if any."""

    name: str
    status: os.stat_result | None


def below(root: Path) -> list[Found]:
    """Every file below a folder with the name of a record, sorted by path.

    Superseded records and hidden files are skipped; links to folders are not followed. Unreadable
    files are included: `content` reports why. A missing folder gives nothing.
    """
    found: list[Found] = []
    for name, entry in walk(root):
        if entry is None or is_record(entry.name) or _may_be_linked_folder(entry):
            found.append(Found(name, _status(root / name)))
    return sorted(found, key=lambda one: one.name.split("/"))


def paths(root: Path) -> list[Path]:
    """The paths of all these files, for `content`, which may refuse them."""
    return [root / found.name for found in below(root)]


def everything(root: Path) -> Iterator[str]:
    """Every file and link below a folder, and unsearchable folders, sorted by name."""
    for name, entry in walk(root):
        if entry is None or not entry.is_dir(follow_symlinks=False):
            yield name


def is_record(name: str) -> bool:
    """Whether this is the name of a record: not superseded, not unfinished (hidden)."""
    return name.endswith(".json") and not name.startswith(".") and SUPERSEDED not in name


def superseded(record: Path) -> list[Path]:
    """The superseded records of a cell, which are kept beside its record."""
    return sorted(record.parent.glob(f"{record.stem}{SUPERSEDED}*.json"))


def content(path: Path, root: Path | None = None) -> bytes:
    """The content of a record's file, within the limits.

    If `root` is given, no folder below it may be a link, and a linked file must be inside.

    Raises DamageError. The kind of file is checked before it is opened.
    """
    try:
        if why := _refusal(path, root):
            raise FileError(why)
        # if it was replaced by a FIFO meanwhile, opening must not block
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise FileError(_not_regular(status.st_mode))
            read = file.read(min(status.st_size, LARGEST_BYTES) + 1)
    except OSError as error:
        raise DamageError(f"cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise FileError("its name is not valid for a file") from error
    if len(read) > LARGEST_BYTES:
        raise FileError(f"it is longer than {LARGEST_BYTES} bytes")
    if sum(read.count(mark) for mark in (b",", b"[", b"{")) > MOST_VALUES:
        raise FileError(f"it contains more than {MOST_VALUES} values")
    return read


def link_on_the_way(root: Path, name: str | Path) -> str | None:
    """The first folder of a path below `root` that is a link, which may lead anywhere."""
    way = root
    for part in Path(name).parent.parts:
        way /= part
        if way.is_symlink():
            return str(way)
    return None


def _refusal(path: Path, root: Path | None) -> str | None:
    """Why a file is not opened; None for an acceptable regular file."""
    if root is not None and (link := link_on_the_way(root, path.relative_to(root))):
        return f"{link} is a link to a folder"
    is_link = path.is_symlink()
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        return _folder(path, root, is_link)
    if is_link and root is not None:
        inside = os.path.realpath(root)
        if os.path.commonpath([inside, os.path.realpath(path)]) != inside:
            return "it is a link that leads out of the folder of records"
    return None if stat.S_ISREG(mode) else _not_regular(mode)


def _folder(path: Path, root: Path | None, is_link: bool) -> str:
    if is_link and path != root:
        return "it is a link to a folder"
    if root is not None and path == root:
        return f"it contains more than {MOST_ENTRIES} files and folders"
    if root is not None and len(path.relative_to(root).parts) > DEEPEST_FOLDER:
        return f"folders are nested more than {DEEPEST_FOLDER} deep"
    if not os.access(path, os.R_OK | os.X_OK):
        return "the folder cannot be read"
    return _not_regular(stat.S_IFDIR)


def state(path: Path) -> list[int] | None:
    """Size and time of any file, to detect a truncated or replaced one; None if missing."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return [status.st_size, status.st_mtime_ns]


def _not_regular(mode: int) -> str:
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket"}
    return f"it is not a regular file but {kinds.get(stat.S_IFMT(mode), 'a device')}"


def walk(root: Path) -> Iterator[tuple[str, os.DirEntry[str] | None]]:
    """Name and entry of everything below a folder; no entry for an unsearchable folder."""
    waiting = [("", 0)]
    left = MOST_ENTRIES
    while waiting:
        folder, depth = waiting.pop()
        try:
            with os.scandir(root / folder) as entries:
                inside = list(itertools.islice(entries, left + 1))
        except OSError:
            if folder:
                yield folder.removesuffix("/"), None
            continue
        left -= len(inside)
        if left < 0:
            yield WHOLE, None
            return
        for entry in inside:
            name = folder + entry.name
            if not entry.is_dir(follow_symlinks=False):
                yield name, entry
            elif depth < DEEPEST_FOLDER:
                yield name, entry
                waiting.append((f"{name}/", depth + 1))
            else:
                yield name, None


def _may_be_linked_folder(entry: os.DirEntry[str]) -> bool:
    """Whether it may be a link to a folder, or a broken one, such as to a disconnected disk."""
    if not entry.is_symlink() or entry.name.startswith("."):
        return False
    return Path(entry.path).is_dir() or not Path(entry.path).exists()


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None
