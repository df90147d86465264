"""Sparse images that fsdump wrote, checked and converted by our core."""

import shutil
from pathlib import Path

from proofs.others.disks import MIB, SECTOR, Disk, bands, sectors, shuffled, whole
from proofs.others.programs import failure, ours

# fsdump's band (BAND_SIZE in its AppleSparseimage.cpp).
BAND = MIB
# Bands of the header node and of each further node of the index (HeaderNode, IndexNode there).
FIRST, FURTHER = 1008, 1010


def disks() -> list[Disk]:
    """The disks; those of more than `FIRST` bands need further nodes of the index."""
    return [
        Disk("nothing written", 64 * MIB),
        whole("one sector", SECTOR),
        whole("one band, full", BAND),
        whole("a short last band", 5 * MIB + 3 * SECTOR),
        whole("pieces across bands", 16 * MIB, 700_000),
        bands("full, in random order", 32 * MIB, BAND, shuffled("full", 32, 32)),
        bands("backwards, every third band", 64 * MIB, BAND, range(63, -1, -3)),
        _many("one node, full", FIRST),
        _many("two nodes", FIRST + 1),
        _many("two nodes, full", FIRST + FURTHER),
        _many("three nodes", FIRST + FURTHER + 1),
        _many("four nodes, and holes", 3500, 4000),
    ]


def _many(name: str, count: int, of: int | None = None) -> Disk:
    """A sector in each of many bands, in random order."""
    of = of or count
    return sectors(name, of * BAND, BAND, shuffled(name, count, of))


def compare(diskbench: Path, writer: Path, folder: Path) -> list[str | None]:
    """Compare each image's content with what was written; what differs, or None."""
    outcomes = []
    for number, disk in enumerate(disks()):
        work = folder / f"image-{number}"
        work.mkdir()
        outcome = _one(diskbench, writer, work, disk)
        shutil.rmtree(work)
        used = {offset // BAND for offset, _ in disk.pieces}
        shown = f"{disk.size_bytes:>13,} bytes, bands used: {len(used):>4}"
        print(f"UDSP {disk.name:30} {shown}: {outcome or 'alike'}", flush=True)
        outcomes.append(outcome)
    return outcomes


def _one(diskbench: Path, writer: Path, work: Path, disk: Disk) -> str | None:
    model, image = work / "model.img", work / "a.sparseimage"
    disk.write(model)
    pieces = "".join(f"{offset} {length}\n" for offset, length in disk.pieces)
    if failed := failure(writer, image, model, str(disk.size_bytes), given=pieces):
        return f"fsdump: {failed}"
    if failed := failure(diskbench, "image", "check", image):
        return f"image check: {failed}"
    return ours(diskbench, model, image)
