"""Sparse bundles made by our core, read through sparsebundlefs and by our core."""

import plistlib
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from console import ExitCode, StudyError
from proofs.others.disks import MIB, SECTOR, Disk, bands, difference, sectors, shuffled, whole
from proofs.others.programs import failure, ours

DISK = "sparsebundle.dmg"
# Most seconds for a mount, which takes milliseconds on an idle machine.
PATIENCE_SECONDS = 60
# The band of a bundle for which none is requested: what hdiutil makes.
DEFAULT = 8 * MIB
# The smallest band that our core makes.
SMALLEST = 4096


class NotMountedError(OSError):
    """A bundle that sparsebundlefs did not mount, in its own words."""


def disks() -> list[tuple[Disk, int]]:
    """The disks, each with the size of its bundle's bands in bytes.

    Fewer than 1000 bands are used in each: sparsebundlefs keeps each band open that it has read.
    """
    return [
        (Disk("nothing written", 64 * MIB), DEFAULT),
        (whole("one sector", SECTOR), DEFAULT),
        (whole("one band, full", DEFAULT), DEFAULT),
        (whole("20 bands, full", 20 * MIB), MIB),
        (whole("a band longer than the disk", 3 * MIB), DEFAULT),
        (whole("a short last band", 5 * MIB + 3 * SECTOR), MIB),
        (whole("a decimal size, large bands", 195_313 * SECTOR), 16 * MIB),
        (whole("the smallest bands", 2 * MIB + SECTOR), SMALLEST),
        (whole("bands of nine sectors", 3 * MIB), 9 * SECTOR),
        (bands("the first band only", 32 * MIB, MIB, [0]), MIB),
        (bands("the last band only", 32 * MIB + SECTOR, MIB, [32]), MIB),
        (bands("every third band", 64 * MIB, MIB, range(0, 64, 3)), MIB),
        (bands("random bands", 256 * MIB, MIB, shuffled("random bands", 50, 256)), MIB),
        (bands("holes inside of bands", 16 * MIB, 1 << 16, range(1, 256, 2)), MIB),
        (sectors("bands that end early", 64 * MIB, 2 * MIB, range(32)), 2 * MIB),
        (
            sectors(
                "names of five digits",
                1024 * MIB,
                SMALLEST,
                shuffled("names", 300, 1 << 18),
            ),
            SMALLEST,
        ),
        (
            sectors("beyond 4 GiB", 4100 * MIB + SECTOR, DEFAULT, [0, 9, 10, 31, 511, 512]),
            DEFAULT,
        ),
    ]


def compare(diskbench: Path, reader: Path, folder: Path) -> list[str | None]:
    """Compare each bundle's content with what was written; what differs, or None."""
    outcomes = []
    for number, (disk, band) in enumerate(disks()):
        work = folder / f"bundle-{number}"
        work.mkdir()
        outcome = _one(diskbench, reader, work, disk, band)
        files = len(list(work.glob("*.sparsebundle/bands/*")))
        shutil.rmtree(work)
        shown = f"{disk.size_bytes:>13,} bytes, bands used: {files:>3}, of {band:>10,} bytes"
        print(f"UDSB {disk.name:30} {shown}: {outcome or 'alike'}", flush=True)
        outcomes.append(outcome)
    return outcomes


def _one(diskbench: Path, reader: Path, work: Path, disk: Disk, band: int) -> str | None:
    model, bundle = work / "model.img", work / "a.sparsebundle"
    disk.write(model)
    if disk.pieces:
        words = ("convert", model, bundle, "--to", "UDSB", "--progress", "none")
    else:
        words = ("create", bundle, "--format", "UDSB", "--size", str(disk.size_bytes))
    if failed := failure(diskbench, "image", *words, "--band", str(band)):
        return f"image {words[0]}: {failed}"
    found = {
        "sparsebundlefs": _theirs(reader, model, bundle),
        "ours": ours(diskbench, model, bundle),
    }
    return "; ".join(f"{who}: {what}" for who, what in found.items() if what) or None


def _theirs(reader: Path, model: Path, bundle: Path) -> str | None:
    try:
        with mounted(reader, bundle) as disk:
            return difference(model, disk)
    except OSError as error:
        return str(error)


@contextmanager
def mounted(reader: Path, bundle: Path) -> Iterator[Path]:
    """Mount a bundle; the value is its disk as one file. Raises NotMountedError."""
    folder, log = bundle.with_suffix(".mounted"), bundle.with_suffix(".log")
    folder.mkdir()
    with log.open("wb") as stderr:
        process = subprocess.Popen([reader, "-f", bundle, folder], stderr=stderr)
    try:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not (folder / DISK).exists():
            if process.poll() is not None or time.monotonic() > deadline:
                said = log.read_text(encoding="utf-8", errors="replace").strip()
                raise NotMountedError(said.rpartition("\n")[2] or "no mount, and no reason")
            time.sleep(0.01)
        yield folder / DISK
    finally:
        # It unmounts when it is asked to end; what a crash left is unmounted by force.
        process.terminate()
        process.wait()
        subprocess.run(["fusermount", "-u", "-q", "-z", folder], check=False)


def try_mount(reader: Path, folder: Path) -> None:
    """Refuse a machine where FUSE mounts nothing, not even a bundle that Python made."""
    bundle = folder / "try.sparsebundle"
    (bundle / "bands").mkdir(parents=True)
    with (bundle / "Info.plist").open("wb") as file:
        plistlib.dump({"band-size": MIB, "size": MIB}, file)
    try:
        with mounted(reader, bundle):
            pass
    except OSError as error:
        line = f"sparsebundlefs cannot mount here ({error}); run again where FUSE may mount"
        raise StudyError(ExitCode.BAD_INPUT, line) from error
