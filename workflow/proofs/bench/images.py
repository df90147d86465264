"""What the portable images cost: `bash workflow/bench.sh images [ROUNDS] [FOLDER]`.

Three parts: each format against ordinary files, plain and encrypted; our readers against those of
others on the same image; and the memory that a large image takes. Beside each figure stands the
goal that was set for it; a goal that is missed is no error, for the machine may be busy.
"""

import subprocess
import tempfile
from pathlib import Path

from arguments import Parser, whole_number, writable_folder
from bench import memory, portable, reading
from bench.harness import MEMORY

# The interval of the median is then from the second lowest to the second highest: a round that was
# disturbed does not widen it, as it would with fewer.
ROUNDS = 9
EXAMPLES = ("read_image", "read_keramics", "use_image")


def main(words: list[str]) -> None:
    """Build, measure, print."""
    parser = Parser(prog="bash workflow/bench.sh images", description=__doc__)
    parser.add_argument("rounds", type=whole_number, nargs="?", default=ROUNDS)
    parser.add_argument(
        "folder", type=writable_folder, nargs="?", default=MEMORY if MEMORY.exists() else None
    )
    arguments = parser.parse_args(words)
    build = ["cargo", "build", "--release", "--locked", "--manifest-path", "core/Cargo.toml"]
    build += ["--target-dir", "core/target", "--bin", "diskbench"]
    build += [word for example in EXAMPLES for word in ("--example", example)]
    subprocess.run(build, check=True)
    release = Path("core/target/release").resolve()
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
