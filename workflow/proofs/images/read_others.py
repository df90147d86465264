"""Readers by others: `python -m proofs.images.read_others READER IMAGE` times one at 1 MiB.

Each gives a function that returns so many of the next bytes of the disk, and none at its end.
"""

import plistlib
import sys
import time
from collections.abc import Callable
from pathlib import Path

BLOCK_BYTES = 1 << 20


def modi(path: Path) -> Callable[[int], bytes]:
    """libmodi on a sparse image, or on the Info.plist that `shown_to_modi` gives."""
    import pymodi

    handle = pymodi.handle()
    handle.open(str(path))
    if path.name == "Info.plist":
        handle.open_band_data_files()
    return handle.read_buffer


def shown_to_modi(bundle: Path, folder: Path) -> Path:
    """The Info.plist of a sparse bundle that is made of links for libmodi.

    Its limits: it looks for bands by eight digits (`bands/0000000a`), not by the names that macOS
    gives (`bands/a`), and cannot do with a missing or a short band, nor with a last band that
    reaches beyond the disk's end. So holes are filled up by zeros.
    """
    description = plistlib.loads((bundle / "Info.plist").read_bytes())
    size, band_size = description["size"], description["band-size"]
    shown = folder / "shown.sparsebundle"
    (shown / "bands").mkdir(parents=True)
    for name in ("Info.plist", "token"):
        (shown / name).symlink_to(bundle / name)
    for number in range(-(-size // band_size)):
        length = min(band_size, size - number * band_size)
        band, link = bundle / "bands" / f"{number:x}", shown / "bands" / f"{number:08x}"
        if band.exists() and band.stat().st_size == length:
            link.symlink_to(band)
        else:
            with link.open("wb") as file:
                file.write(band.read_bytes() if band.exists() else b"")
                file.truncate(length)
    return shown / "Info.plist"


def dissect(path: Path) -> Callable[[int], bytes]:
    """dissect.hypervisor on an ASIF.

    Its limits: it looks at no bitmap and no flag of an entry, so what was discarded, and what was
    never written in a chunk that was, is whatever lies in the file; and where a whole table is
    missing it takes the file's header for one. An image that was only written into has neither.
    """
    from dissect.hypervisor.disk.asif import ASIF

    return ASIF(path.open("rb")).open().read


READERS = {"modi": modi, "dissect": dissect}

if __name__ == "__main__":
    read = READERS[sys.argv[1]](Path(sys.argv[2]))
    size = 0
    start = time.perf_counter_ns()
    while piece := read(BLOCK_BYTES):
        size += len(piece)
    elapsed = time.perf_counter_ns() - start
    print(f'{{"bytes": {size}, "ns": {elapsed}}}')
