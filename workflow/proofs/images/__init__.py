"""Speed and memory of images, compared with ordinary files and the programs of others.

Usage: bash workflow/prove.sh images [PART ...] [--rounds N] [--folder DIR] [--save]
  PART       files, readers, conversions or memory; without one all of them
  --rounds   interleaved rounds (9)
  --folder   where images are written, 14 GB (/dev/shm, where there is one)
  --save     keeps the figures in data/proofs/images.json; of all parts

files: each format against ordinary files, plain and encrypted, in the study. readers: reading a
whole image, against the readers of others. conversions: `image convert` against qemu-img and 7-Zip.
memory: the most that an image of 100 GB takes.
A program that is not installed is left out, with a line. A goal that is missed is no error, for the
machine may be busy.
"""

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

from arguments import whole_number, writable_folder
from proofs.images import converting, memory, portable, reading
from proofs.support import core, proof

# The interval of the median is then from the second lowest to the second highest: a round that was
# disturbed does not widen it, as it would with fewer.
ROUNDS = 9

PARTS = {
    "files": portable.figures,
    "readers": reading.figures,
    "conversions": converting.figures,
    "memory": memory.figures,
}


def main(words: list[str]) -> None:
    """Build, measure, print; save with --save."""
    parser = proof.arguments("images")
    parser.add_argument("parts", metavar="PART", nargs="*")
    parser.add_argument("--rounds", type=whole_number, default=ROUNDS)
    parser.add_argument("--folder", type=writable_folder, default=core.MEMORY)
    asked = parser.parse_args(words)
    for part in asked.parts:
        if part not in PARTS:
            parser.error(f"'{part}' is no part: name some of {', '.join(PARTS)}, or none")
    if asked.save and asked.parts:
        parser.error("--save keeps all parts: name none")
    core.build("read_image", "read_keramics", "use_image")
    title = f"What images cost, medians of {asked.rounds} interleaved rounds"
    proof.show(asked, "images", title, _figures(asked), of_the_harness=True)


def _figures(asked: argparse.Namespace) -> Iterator[proof.Figure]:
    for part in asked.parts or PARTS:
        with tempfile.TemporaryDirectory(dir=asked.folder) as temporary:
            folder = Path(temporary)
            print(f"\n{part}: {asked.rounds} interleaved rounds in {folder.parent}", flush=True)
            yield from PARTS[part](core.RELEASE.resolve(), folder, asked.rounds)
