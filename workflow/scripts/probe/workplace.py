"""The working folder of a probe: exclusive, and emptied afterwards."""

import ctypes
import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from console import ExitCode, StudyError, say
from lock import held
from probe import inventory, lines
from probe.programs import OutOfTimeError, Programs

NAME = "diskbench-probe"
# marks a folder whose contents all belong to probes
MARK = "made-by-diskbench-probe"

# upper bound of the folder's contents; the largest image has 1.3 GB
NEEDED_BYTES = 5_000_000_000

# seconds for detaching images of a killed probe
CLEANING_SECONDS = 120
TRIES = 6

# PATH_MAX of Linux; macOS has 1024
LONGEST_PATH = 4096


@contextmanager
def entered(below: Path, programs: Programs) -> Iterator[Path]:
    """Make the folder and remove it at the end; first clean up after a killed probe.

    Raises StudyError (folder unusable, busy, no space, or failed if something stays attached).
    """
    folder = _as_spelt(below) / NAME
    try:
        folder.mkdir(exist_ok=True)
        if not (folder / MARK).exists() and any(folder.iterdir()):
            raise StudyError(
                ExitCode.FOLDER_UNUSABLE,
                f"{folder} is not a probe's folder: rename it, or name another one with --folder",
            )
        (folder / MARK).touch()
    except OSError as error:
        raise StudyError(
            ExitCode.FOLDER_UNUSABLE,
            f"{below} cannot be used ({error.strerror}): name another folder with --folder",
        ) from error
    busy = "another probe works in this folder: wait for it, then run again"
    with held(folder / MARK, busy), _signals_interrupt():
        try:
            if any(one.name != MARK for one in folder.iterdir()):
                say("the last probe was killed: its images are removed")
                _empty(programs, folder)
            free = shutil.disk_usage(folder).free
            if free < NEEDED_BYTES:
                raise StudyError(
                    ExitCode.NO_SPACE,
                    f"{below} has {free / 1e9:.1f} GB free, a probe needs "
                    f"{NEEDED_BYTES / 1e9:.0f}: free some, or name another disk with --folder",
                )
            yield folder.resolve()
        finally:
            # a second Ctrl-C would leave images attached
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            programs.more_time(CLEANING_SECONDS)
            _empty(programs, folder)
            shutil.rmtree(folder)


def _as_spelt(folder: Path) -> Path:
    """The path of a folder in the letters of the file system, in which macOS lists images.

    APFS finds `/Volumes/Fast` as `/volumes/fast`, too. realpath(3) of macOS returns the names of
    the file system; `Path.resolve` keeps those that were typed.
    """
    library = ctypes.CDLL(None)
    library.realpath.restype = ctypes.c_char_p
    found = library.realpath(os.fsencode(folder), ctypes.create_string_buffer(LONGEST_PATH))
    return Path(os.fsdecode(found)) if found else folder


def detach_all(programs: Programs, folder: Path) -> set[str]:
    """Detach the attached images inside a folder; returns the devices that stay."""
    for attempt in range(TRIES):
        time.sleep(0.2 * attempt)
        for number, disk in enumerate(disks := inventory.attached(programs, folder)):
            # read again: free device numbers are reused at once
            if number == 0 or disk in inventory.attached(programs, folder):
                _detach(programs, disk)
        if not disks:
            return set()
    return set(inventory.attached(programs, folder))


def _detach(programs: Programs, disk: str) -> None:
    """Detach a device with both programs, then by force; the inventory shows the result."""
    for name in ("detach by diskutil", "detach by force", "unmount by force"):
        if programs.call(None, *lines.call(name, disk=disk), limit=30).is_good:
            return


def _empty(programs: Programs, folder: Path) -> None:
    try:
        disks = detach_all(programs, folder)
        stays = f"stays attached as {', '.join(sorted(disks))}" if disks else ""
    except OutOfTimeError:
        stays = "may stay attached: the programs did not detach it in time"
    if stays:
        raise StudyError(
            ExitCode.CELL_FAILED,
            f"an image of the probe {stays}; eject it, then run again, which removes {folder}",
        )
    for one in folder.iterdir():
        if one.name == MARK:
            continue
        if one.is_dir() and not one.is_symlink():
            shutil.rmtree(one)
        else:
            one.unlink()


@contextmanager
def _signals_interrupt() -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C, so that everything is cleaned up."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        if number == signal.SIGINT or before[number] != signal.SIG_IGN:
            signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
