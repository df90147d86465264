"""What must still be there after a power failure."""

import os
from pathlib import Path


def sync(path: Path) -> None:
    """Ask the disk to keep a file, or the entries of a folder."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
