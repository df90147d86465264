"""Programs by others read our images, compared with the disk byte by byte."""

import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from proofs.images import read_others

PROJECT = Path(__file__).parents[3]
MIB = 1 << 20
SECTOR = 512

# Of the disk, in bytes: a sector, a piece over the border of a chunk, a whole chunk, pieces of several; and its last
# sector, in a band that is not whole. Of a bundle's bands of 8 MiB the second has nothing.
LENGTH = 33 * MIB + 7 * SECTOR
PIECES = [
    (0, SECTOR),
    (MIB - SECTOR, 3 * SECTOR),
    (2 * MIB, MIB),
    (4 * MIB + 7 * SECTOR, 3 * MIB),
    (17 * MIB, 5 * MIB + SECTOR),
    (LENGTH - SECTOR, SECTOR),
]


@pytest.fixture(scope="module")
def disk(tmp_path_factory) -> Path:
    """A raw disk with random bytes at these places, and nothing else."""
    path = tmp_path_factory.mktemp("disk") / "disk"
    dice = random.Random(1)
    with path.open("wb") as file:
        file.truncate(LENGTH)
        for place, length in PIECES:
            file.seek(place)
            file.write(dice.randbytes(length))
    return path


@pytest.fixture
def diskbench(target) -> Callable[..., None]:
    """`diskbench image ARGUMENTS`."""

    def call(*arguments: object) -> None:
        command = [target / "diskbench", "image", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr

    return call


def modi_on_a_bundle(path: Path) -> Callable[[int], bytes]:
    return read_others.modi(read_others.shown_to_modi(path, path.parent))


def assert_same(read: Callable[[int], bytes], expected: Path) -> None:
    """A reader gives the bytes of the file, no fewer and no more; no test holds a whole disk."""
    place = 0
    with expected.open("rb") as file:
        while piece := read(MIB):
            assert piece == file.read(len(piece)), f"a byte differs from {place} on"
            place += len(piece)
    assert place == expected.stat().st_size


@pytest.mark.parametrize(
    ("image_format", "read"),
    [
        ("UDRW", lambda path: path.open("rb").read),
        ("UDSP", read_others.modi),
        ("UDSB", modi_on_a_bundle),
        ("ASIF", read_others.dissect),
    ],
)
@pytest.mark.parametrize("mebibytes", [None, 35, 70])
def test_others_read_a_disk_and_one_that_was_made_longer(
    diskbench, disk, tmp_path, image_format, read, mebibytes
):
    path, expected = tmp_path / "image", tmp_path / "expected"
    diskbench("convert", disk, path, "--to", image_format)
    shutil.copy(disk, expected)
    if mebibytes:
        diskbench("resize", path, "--size", mebibytes * MIB)
        os.truncate(expected, mebibytes * MIB)
    assert_same(read(path), expected)


def test_dissect_reads_our_asif_with_blocks_of_4096_bytes(diskbench, tmp_path):
    disk, ours = tmp_path / "disk", tmp_path / "ours.asif"
    disk.write_bytes(random.Random(4096).randbytes(4 * MIB + 8192))
    diskbench("convert", disk, ours, "--to", "ASIF", "--block", "4096")
    # the size of a block, where huven/asif-format has it
    assert ours.read_bytes()[0x44:0x46] == (4096).to_bytes(2)
    assert_same(read_others.dissect(ours), disk)
