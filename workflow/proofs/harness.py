"""What the harness costs: its write and read rates beside a bare loop of the same calls, and fio.

Usage: bash workflow/prove.sh harness [ROUNDS] [FOLDER]
  ROUNDS   interleaved rounds (15)
  FOLDER   where files are written (/dev/shm, where there is one)

fio takes part where it is installed. Prints median rates with their spread, and ratios within a
round.
"""

import json
import tempfile
from pathlib import Path

from arguments import Parser, whole_number, writable_folder
from console import say
from proofs.support import core
from proofs.support.cells import cell
from proofs.support.contenders import bare_loop, fio, fio_is_here, harness
from proofs.support.rounds import interleaved, table


def main(words: list[str]) -> None:
    """Build, measure, print."""
    parser = Parser(prog="bash workflow/prove.sh harness")
    parser.add_argument("rounds", type=whole_number, nargs="?", default=15)
    parser.add_argument("folder", type=writable_folder, nargs="?", default=core.MEMORY)
    arguments = parser.parse_args(words)
    core.build("bare_loop")
    with tempfile.TemporaryDirectory(dir=arguments.folder) as temporary:
        folder = Path(temporary)
        description = cell()
        path = folder / "cell.json"
        path.write_text(json.dumps(description), encoding="utf-8")
        contenders = [
            harness(core.RELEASE / "diskbench", path, folder),
            bare_loop(core.RELEASE / "examples" / "bare_loop", path, folder, own_content=False),
            bare_loop(core.RELEASE / "examples" / "bare_loop", path, folder, own_content=True),
        ]
        if fio_is_here():
            contenders.append(fio(description["sizes_bytes"], folder))
        else:
            say("fio is not installed: measured without it")
        results = interleaved(contenders, arguments.rounds)
        print(
            f"{arguments.rounds} interleaved rounds in {folder.parent}; median (lowest to highest)"
        )
        print("\n".join(table(results, [contender.name for contender in contenders])))
