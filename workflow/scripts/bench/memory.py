"""The most memory a process holds that makes, fills, reads and checks an image of 100 GB.

What is written is little, but it is spread over the whole disk, so that what a format remembers of
its bands is as much as it can be; see core/examples/use_image.rs.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE

DISK_BYTES = 100_000_000_000
FILE_BYTES = 2_000_000_000
MIB = 1 << 20
GOAL_MIB = 64

# A page is written in each stretch of the disk. In each band, where what is not written of a band
# stays a hole; where encryption must fill it with zeros, in so many that 2 GB are written in all.
STRETCHES = {
    ("UDRW", "none"): 1 * MIB,
    ("UDSP", "none"): 1 * MIB,
    ("UDSB", "none"): 8 * MIB,
    ("ASIF", "none"): 1 * MIB,
    ("UDRW", "AES-256"): 1 * MIB,
    ("UDSP", "AES-256"): 64 * MIB,
    ("UDSB", "AES-256"): 512 * MIB,
    ("ASIF", "AES-256"): 1 * MIB,
}


def lines(release: Path, folder: Path, _rounds: int) -> Iterator[str]:
    """One line for each format and encryption; one round, for memory is no matter of luck."""
    for (image_format, encryption), stretch in STRETCHES.items():
        image = folder / "image"
        peak = peak_bytes([
            release / "examples" / "use_image", image_format, encryption, image,
            DISK_BYTES, stretch, FILE_BYTES,
        ])  # fmt: skip
        verdict = "reached" if peak <= GOAL_MIB * MIB else "missed"
        yield (
            f"{image_format} {encryption:8} {peak / MIB:6.1f} MiB, a page in every"
            f" {stretch // MIB} MiB   goal <= {GOAL_MIB} MiB and buffers: {verdict}"
        )
        if image.is_dir():
            shutil.rmtree(image)
        else:
            image.unlink()


def peak_bytes(command: list) -> int:
    """The most memory that a program held which ends well, in bytes."""
    words = [str(word) for word in command]
    with subprocess.Popen(words, stdout=PIPE, stderr=PIPE, text=True) as process:
        printed, told = process.stdout.read(), process.stderr.read()
        # waited for here and not by Popen, which would not give the usage of this one child
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{words[0]} ended with {process.returncode}: {told.strip()}")
    if printed:
        return int(printed) * 1024
    # Elsewhere than on Linux, where this would count what this very Python holds when it forks.
    return usage.ru_maxrss
