"""Peak memory of creating, filling, reading and checking an image of 100 GB.

What is written is little, but it is spread over the whole disk, so that what a format remembers of
its bands is as much as it can be; see core/diskbench-core/examples/use_image.rs.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE

from proofs.support import proof
from proofs.support.goals import at_most
from proofs.support.proof import Figure

DISK_BYTES = 100_000_000_000
FILE_BYTES = 2_000_000_000
MIB = 1 << 20
GOAL = at_most(64, "<= 64 MiB")

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


def figures(release: Path, folder: Path, rounds: int) -> Iterator[Figure]:
    """One for each format and encryption."""
    image = folder / "image"
    for (image_format, encryption), stretch in STRETCHES.items():
        command = [release / "examples" / "use_image", image_format, encryption, image]
        command += [DISK_BYTES, stretch, FILE_BYTES]
        held = []
        for _ in range(rounds):
            held.append(peak_bytes(command) / MIB)
            shutil.rmtree(image) if image.is_dir() else image.unlink()
        what = f"memory: {image_format} {encryption}, a page in every {stretch // MIB} MiB"
        yield proof.over_rounds(what, held, "MiB", GOAL)


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
