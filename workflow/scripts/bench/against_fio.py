"""Against fio: `bash workflow/bench.sh fio [ROUNDS] [FOLDER...] [--save]`.

The harness and fio write and read the same files, in the same order and blocks, on the same file
system, in one interleaved run, through the system's cache and past it. fio is called twice in each
round: what its two calls differ by is no business of ours, and says how small a difference this
machine lets us see at all.
"""

import json
import math
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from arguments import Parser, whole_number, writable_folder
from bench.cells import cell
from bench.contenders import Rates, called, fio, fio_is_here, harness
from bench.proof import Figure, save
from bench.rounds import interleaved, median_interval
from console import ExitCode, StudyError
from study.scales import SIZES_BYTES

# Short rounds and many of them: whatever else runs on a machine then disturbs all three alike.
ROUNDS = 61
SIZE_DIVISOR = 40
# As much as two good programs that make the same calls may differ by.
GOAL = 0.05
# What direct I/O moves: whole pages, on every file system that has it.
PAGE = 4096
OURS, THEIRS, AGAIN = "diskbench", "fio", "fio again"
MODES = {"buffered": "none", "direct": "bypass"}
ON_DISK, MEMORY = Path(".diskbench"), Path("/dev/shm")


@dataclass(frozen=True)
class Compared:
    """A ratio of rates: its median over the rounds, with its 95 % interval and its extremes."""

    median: float
    low: float
    high: float
    lowest: float
    highest: float

    @property
    def within_goal(self) -> bool:
        """Whether the median is."""
        return abs(math.log(self.median)) <= GOAL

    @property
    def surely_within_goal(self) -> bool:
        """Whether all of its interval is."""
        return max(abs(math.log(self.low)), abs(math.log(self.high))) <= GOAL


def main(words: list[str]) -> None:
    """Build, measure, print; keep it when told to."""
    parser = Parser(prog="bash workflow/bench.sh fio", description=__doc__)
    parser.add_argument("rounds", type=whole_number, nargs="?", default=ROUNDS)
    parser.add_argument(
        "folder", type=writable_folder, nargs="*", help="a disk's, and memory's, unless given"
    )
    parser.add_argument("--save", action="store_true", help="keep the figures in data/proofs")
    arguments = parser.parse_args(words)
    if not fio_is_here():
        raise StudyError(ExitCode.BAD_INPUT, "fio is not installed: install it, then run again")
    build = ["cargo", "build", "--release", "--locked", "--manifest-path", "core/Cargo.toml"]
    subprocess.run([*build, "--target-dir", "core/target", "--bin", "diskbench"], check=True)
    ON_DISK.mkdir(exist_ok=True)
    folders = arguments.folder or [ON_DISK, *([MEMORY] if MEMORY.exists() else [])]
    figures = [
        figure
        for folder in folders
        for figure in measured(Path("core/target/release/diskbench"), folder, arguments.rounds)
    ]
    if arguments.save:
        title = (
            f"Against fio, ratio of rates, median of {arguments.rounds} rounds (its 95 % interval)"
        )
        print(f"kept in {save('fio', title, 'bash workflow/bench.sh fio --save', figures)}")


def measured(binary: Path, parent: Path, rounds: int) -> Iterator[Figure]:
    """The figures of one file system, printed as they come."""
    with tempfile.TemporaryDirectory(dir=parent) as temporary:
        folder = Path(temporary).resolve()
        contenders, file_system = [], ""
        for mode, cache in MODES.items():
            record, path = first_run(binary, folder, mode, cache)
            file_system = record["host"]["storage"]["file_system"] or "unknown"
            if record["cache"]["reached"] != cache:
                print(f"{file_system} takes no {mode} I/O: left out")
                continue
            written = [made["size_bytes"] for made in record["samples"] if made["op"] == "write"]
            direct = mode == "direct"
            contenders += [
                harness(binary, path, folder, f"{mode} {OURS}"),
                *(
                    fio(written, folder, f"{mode} {name}", direct=direct)
                    for name in (THEIRS, AGAIN)
                ),
            ]
        print(
            f"\n{rounds} interleaved rounds on {file_system} in {parent}; ratio: median of the "
            "rounds [its 95 % interval] (lowest to highest)"
        )
        results = interleaved(contenders, rounds)
        named = {contender.name for contender in contenders}
        for mode in MODES:
            if f"{mode} {OURS}" in named:
                yield from judged(results, mode, file_system)


def first_run(binary: Path, folder: Path, mode: str, cache: str) -> tuple[dict, Path]:
    """One run of the harness: what it reached, and in which order it wrote; and its cell."""
    description = cell(cache=cache)
    sizes = [size // SIZE_DIVISOR // PAGE * PAGE for size in SIZES_BYTES]
    path, record = folder / f"{mode}.json", folder / "first.json"
    path.write_text(json.dumps(description | {"sizes_bytes": sizes}), encoding="utf-8")
    called([binary, "run", "--cell", path, "--folder", folder, "--record", record])
    found = json.loads(record.read_text(encoding="utf-8"))
    record.unlink()
    return found, path


def judged(results: list[dict[str, Rates]], mode: str, file_system: str) -> Iterator[Figure]:
    """Two figures a direction: ours over fio's, with the verdict, and fio's over its own."""
    for op in ("write", "read"):
        ours = compared(results, op, f"{mode} {OURS}", f"{mode} {THEIRS}")
        own = compared(results, op, f"{mode} {AGAIN}", f"{mode} {THEIRS}")
        rate = statistics.median(round_[f"{mode} {THEIRS}"][op] for round_ in results) / 1e9
        reached = verdict(ours, own)
        told = {True: "reached", False: "missed", None: "fio's own spread does not let us say"}
        print(f"{op:5}  {mode:8}  fio {rate:6.2f} GB/s   diskbench / fio {shown(ours)}")
        print(f"{'':39}fio again / fio {shown(own)}   goal within 5 %: {told[reached]}")
        what = f"{file_system}, {mode}, {op}"
        goal = "|log ratio| <= 5 %, where fio's own spread allows"
        yield Figure(
            f"{what}: diskbench / fio", ours.median, "", ours.low, ours.high, goal, reached
        )
        yield Figure(f"{what}: fio again / fio", own.median, "", own.low, own.high)


def compared(results: list[dict[str, Rates]], op: str, name: str, other: str) -> Compared:
    """The ratio of two contenders' rates, taken within each round."""
    ratios = [round_[name][op] / round_[other][op] for round_ in results]
    return Compared(statistics.median(ratios), *median_interval(ratios), min(ratios), max(ratios))


def verdict(ours: Compared, own: Compared) -> bool | None:
    """Whether the goal is reached; None where fio differs from itself by as much as the goal."""
    return ours.within_goal if own.surely_within_goal else None


def shown(found: Compared) -> str:
    """A ratio with its interval and extremes."""
    return (
        f"{found.median:.3f} [{found.low:.3f} to {found.high:.3f}]"
        f" ({found.lowest:.2f} to {found.highest:.2f})"
    )
