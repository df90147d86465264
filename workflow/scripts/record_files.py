"""Finding and opening files of records, which may be anybody's: no hang, and limits to memory.

Limits and verdicts are those of core/diskbench-core/src/record/files.rs; tests hold the two to the
same.
"""

import itertools
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Longest file: a record of the 100,000 files that a cell may have takes some 15 MB.
LARGEST_BYTES = 32 << 20
# Most commas and opening brackets in a file, each of which may be a value in memory: a record of
# 100,000 files has 700,000.
MOST_VALUES = 2_000_000
# Most folders inside each other: a record lies seven deep.
DEEPEST_FOLDER = 32
# Most files and folders in a folder of records: twenty times the records of all Macs of the
# articles, each measured under a hundred releases.
MOST_ENTRIES = 1_000_000

# In the name of a record that was set aside because its cell was measured again.
SUPERSEDED = ".superseded-"

# What stands for the whole folder where it holds too much.
WHOLE = "."


class DamageError(Exception):
    """What is wrong with a record; `kind` in one word, and `advice` for who has it in data/runs."""

    kind = "damaged"
    advice = "restore the file, or delete it to measure its cell again"


class FileError(DamageError):
    """No file that a record may be in: its content was never looked at."""

    advice = "remove it, or put a regular file in its place"


@dataclass(frozen=True)
class Found:
    """A file in the place of a record, or a folder that cannot be searched: below the root, `/`
    between folders; and what the system says of it, where it does."""

    name: str
    status: os.stat_result | None


def below(root: Path) -> list[Found]:
    """Every record below a folder, and whatever stands in the place of one, sorted by path.

    Records that were set aside and hidden files are passed over; no link to a folder is followed.
    What cannot be read is among what is found: `content` says why. A missing folder holds nothing.
    """
    found: list[Found] = []
    for name, entry in _walk(root):
        if entry is None or is_record(entry.name) or _may_be_linked_folder(entry):
            found.append(Found(name, _status(root / name)))
    return sorted(found, key=lambda one: one.name.split("/"))


def paths(root: Path) -> list[Path]:
    """The paths of all of these; each is read with `content`, which may refuse it."""
    return [root / found.name for found in below(root)]


def everything(root: Path) -> Iterator[str]:
    """Every file and link below a folder, and folders that cannot be searched, by their names."""
    for name, entry in _walk(root):
        if entry is None or not entry.is_dir(follow_symlinks=False):
            yield name


def is_record(name: str) -> bool:
    """Whether a file of this name is a record: not one set aside, nor half-written (hidden)."""
    return name.endswith(".json") and not name.startswith(".") and SUPERSEDED not in name


def content(path: Path, root: Path | None = None) -> bytes:
    """What is in a record's file, within the limits.

    Below `root`, where given, no folder may be a link, and the file's link must stay inside.

    Raises DamageError. Nothing is opened before its kind is known.
    """
    try:
        if why := _refusal(path, root):
            raise FileError(why)
        # what came in its place meanwhile must not keep us waiting (a FIFO without a writer)
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
    """The first folder of a path below `root` that is a link, and so may lead anywhere."""
    way = root
    for part in Path(name).parent.parts:
        way /= part
        if way.is_symlink():
            return str(way)
    return None


def _refusal(path: Path, root: Path | None) -> str | None:
    """Why it is not opened; None for a regular file in its place."""
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


def _not_regular(mode: int) -> str:
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket"}
    return f"it is not a regular file but {kinds.get(stat.S_IFMT(mode), 'a device')}"


def _walk(root: Path) -> Iterator[tuple[str, os.DirEntry[str] | None]]:
    """Name and entry of everything below; without an entry, a folder that cannot be searched."""
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
    """Or to one that is not there, such as that of a host on a disk which was unplugged."""
    if not entry.is_symlink() or entry.name.startswith("."):
        return False
    return Path(entry.path).is_dir() or not Path(entry.path).exists()


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None
