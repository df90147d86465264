"""Readers of images by others, each with its known limits.

Each is an iterator over the disk's bytes in pieces, so that no test holds a whole disk.
"""

import plistlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

PIECE = 1 << 20


def modi(path: Path) -> Iterator[bytes]:
    """libmodi on a sparse image or a bundle's Info.plist."""
    import pymodi

    handle = pymodi.handle()
    handle.open(str(path))
    try:
        if path.name == "Info.plist":
            handle.open_band_data_files()
        left = handle.get_media_size()
        while left > 0:
            piece = handle.read_buffer(min(PIECE, left))
            assert piece, "it ends early"
            left -= len(piece)
            yield piece
    finally:
        handle.close()


def modi_bundle(bundle: Path) -> Iterator[bytes]:
    """libmodi on a sparse bundle.

    Its limits: it looks for bands by eight digits (`bands/0000000a`), not by the names that macOS
    gives (`bands/a`), and cannot do with a missing or a short band, nor with a last band that
    reaches beyond the disk's end. So it is shown a folder of links, with holes filled up by zeros.
    """
    description = plistlib.loads((bundle / "Info.plist").read_bytes())
    size, band_size = description["size"], description["band-size"]
    with tempfile.TemporaryDirectory() as temporary:
        shown = Path(temporary) / "shown.sparsebundle"
        (shown / "bands").mkdir(parents=True)
        for name in ("Info.plist", "token"):
            (shown / name).write_bytes((bundle / name).read_bytes())
        for number in range(-(-size // band_size)):
            length = min(band_size, size - number * band_size)
            band, link = bundle / "bands" / f"{number:x}", shown / "bands" / f"{number:08x}"
            if band.exists() and band.stat().st_size == length:
                link.symlink_to(band)
            else:
                with link.open("wb") as file:
                    file.write(band.read_bytes() if band.exists() else b"")
                    file.truncate(length)
        yield from modi(shown / "Info.plist")


def dissect(path: Path) -> Iterator[bytes]:
    """dissect.hypervisor on an ASIF.

    Its limits: it looks at no bitmap and no flag of an entry, so what was discarded, and what was
    never written in a chunk that was, is whatever lies in the file; and where a whole table is
    missing it takes the file's header for one. An image that was only written into has neither.
    """
    from dissect.hypervisor.disk.asif import ASIF

    with path.open("rb") as file:
        stream = ASIF(file).open()
        while piece := stream.read(PIECE):
            yield piece


def raw(path: Path) -> Iterator[bytes]:
    """The bytes of a file."""
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece


def assert_same(found: Iterator[bytes], expected: Path) -> None:
    """The pieces together are the bytes of the file, no fewer and no more."""
    place = 0
    with expected.open("rb") as file:
        for piece in found:
            assert piece == file.read(len(piece)), f"a byte differs from {place} on"
            place += len(piece)
    assert place == expected.stat().st_size
