"""`python -m proofs.images.read_others READER IMAGE`: a reader by others, timed at 1 MiB."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

BLOCK_BYTES = 1 << 20


def modi(path: Path) -> Callable[[int], bytes]:
    """libmodi on a sparse image."""
    import pymodi

    handle = pymodi.handle()
    handle.open(str(path))
    if path.name == "Info.plist":
        handle.open_band_data_files()
    return handle.read_buffer


def dissect(path: Path) -> Callable[[int], bytes]:
    """dissect.hypervisor on an ASIF."""
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
