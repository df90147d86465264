"""What the portable images cost: rates beside ordinary files and other readers, and memory.

Usage: bash workflow/prove.sh images [ROUNDS] [FOLDER]
  ROUNDS   interleaved rounds (9)
  FOLDER   where images are written (/dev/shm, where there is one)

Three parts: each format against ordinary files, plain and encrypted; our readers against those of
others on the same image; and the memory that an image of 100 GB takes. A goal that is missed is no
error, for the machine may be busy.
"""

import tempfile
from pathlib import Path

from arguments import Parser, whole_number, writable_folder
from proofs.images import memory, portable, reading
from proofs.support import core

# The interval of the median is then from the second lowest to the second highest: a round that was
# disturbed does not widen it, as it would with fewer.
ROUNDS = 9


def main(words: list[str]) -> None:
    """Build, measure, print."""
    parser = Parser(prog="bash workflow/prove.sh images")
    parser.add_argument("rounds", type=whole_number, nargs="?", default=ROUNDS)
    parser.add_argument("folder", type=writable_folder, nargs="?", default=core.MEMORY)
    arguments = parser.parse_args(words)
    core.build("read_image", "read_keramics", "use_image")
    release = core.RELEASE.resolve()
    parts = (
        ("write and read, driver portable against driver native", portable.lines),
        ("reading a whole image, ours against others", reading.lines),
        ("the most memory a process holds that uses an image of 100 GB", memory.lines),
    )
    for title, lines in parts:
        with tempfile.TemporaryDirectory(dir=arguments.folder) as temporary:
            folder = Path(temporary)
            print(
                f"\n{title}\n{arguments.rounds} interleaved rounds in {folder.parent};"
                " median (lowest to highest) [95 % interval]",
                flush=True,
            )
            for line in lines(release, folder, arguments.rounds):
                print(line, flush=True)
