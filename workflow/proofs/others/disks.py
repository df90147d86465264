"""The content of a disk, computed in Python: written ranges, and zeros elsewhere."""

import random
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

SECTOR = 512
MIB = 1 << 20

# Offset and length in bytes.
Piece = tuple[int, int]


@dataclass(frozen=True)
class Disk:
    """A disk of `size_bytes`. pieces: what is written, in this order; they do not overlap."""

    name: str
    size_bytes: int
    pieces: tuple[Piece, ...] = ()

    def write(self, path: Path) -> None:
        """Write the raw disk. Its content is random, but the same for the same name."""
        generator = random.Random(self.name)
        with path.open("wb") as file:
            file.truncate(self.size_bytes)
            for offset, length in self.pieces:
                file.seek(offset)
                file.write(generator.randbytes(length))


def whole(name: str, size_bytes: int, step: int = MIB) -> Disk:
    """A disk that is written from its beginning to its end, `step` bytes at a time."""
    return Disk(name, size_bytes, tuple(_cut(size_bytes, step, range(-(-size_bytes // step)))))


def bands(name: str, size_bytes: int, band: int, numbers: Iterable[int]) -> Disk:
    """A disk with these bands written completely, in this order."""
    return Disk(name, size_bytes, tuple(_cut(size_bytes, band, numbers)))


def sectors(name: str, size_bytes: int, band: int, numbers: Iterable[int]) -> Disk:
    """A disk with one random sector written in each of these bands, in this order."""
    generator = random.Random(name)
    pieces = (
        (offset + generator.randrange(length // SECTOR) * SECTOR, SECTOR)
        for offset, length in _cut(size_bytes, band, numbers)
    )
    return Disk(name, size_bytes, tuple(pieces))


def shuffled(name: str, count: int, of: int) -> list[int]:
    """`count` different numbers below `of`, in random order."""
    return random.Random(name).sample(range(of), count)


def _cut(size_bytes: int, step: int, numbers: Iterable[int]) -> Iterable[Piece]:
    """The parts of a disk with these numbers, `step` bytes each but for a shorter last one."""
    return ((n * step, min(step, size_bytes - n * step)) for n in numbers)


def difference(expected: Path, found: Path) -> str | None:
    """What differs first between two files, or None. The file system may refuse to read them."""
    sizes = expected.stat().st_size, found.stat().st_size
    if sizes[0] != sizes[1]:
        return f"{sizes[1]} bytes long instead of {sizes[0]}"
    with expected.open("rb") as one, found.open("rb") as other:
        at = 0
        while piece := one.read(MIB):
            read = other.read(MIB)
            if read != piece:
                pairs = zip(piece, read, strict=False)
                same = next((i for i, (a, b) in enumerate(pairs) if a != b), len(read))
                return f"differs at byte {at + same}"
            at += len(piece)
    return None
