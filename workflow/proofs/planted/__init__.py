"""Small faults, planted one at a time: which do the tests see?

Usage: bash workflow/prove.sh planted [FAULTS] [OPTION ...]
  FAULTS     how many (150)
  --seed     of the faults, drawn at random (1)
  --workers  faults that are tried at once, each in a copy of the project (1)
  --minutes  start no other fault after so long
  --only     of these parts alone: python, sql, pages, rust
  --quick    leave out the tests that only `test.sh all` runs
  --at-once  instead, fifteen known faults in the rules of verdicts at once: how many tests fail?
  --save     keeps the shares and the faults in data/proofs/planted.json and planted.csv

As many are planted in Python, SQL, pages and the core, in a copy of the project at its last commit.
The tests that name what is changed are asked first, then the rest of its room, the whole workflow,
and those that take long, each for a limited time. A test that fails without the fault as well sees
nothing; a test of the core that never ends with it, and passes without, has seen it. A fault that
the compiler refuses is no fault, and another is drawn. It takes hours: what was tried is kept below
.diskbench, and the same command resumes there.
"""

import csv
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from arguments import minutes as minutes_of_time
from arguments import whole_number
from proofs.planted import at_once
from proofs.planted.faults import SOURCES, Fault, drawn
from proofs.planted.trial import REFUSED, SEEN, TIMED_OUT, Children, Copy, Outcome
from proofs.support import goals, proof
from proofs.support.proof import Figure

# Of 150 faults two may go unseen, and the exact interval of the share still lies above the goal. A
# quarter of them is too few for that: a part by itself has an interval and no goal.
FAULTS, SEED = 150, 1
LEAST_SEEN = goals.at_least(95, ">= 95 %")
LEAST_SEEN_QUICKLY = goals.at_least(85, ">= 85 %")
NAMES = {"python": "the workflow", "sql": "SQL", "pages": "the pages", "rust": "the core"}
COLUMNS = [
    "part",
    "file",
    "line",
    "kind",
    "before",
    "after",
    "result",
    "seen_by",
    "stage",
    "by_test_sh",
]


@dataclass(frozen=True)
class Tried:
    """One row of what is kept."""

    part: str
    fault: Fault
    outcome: Outcome

    def row(self) -> tuple:
        """In the order of COLUMNS."""
        one, how = self.fault, self.outcome
        texts = (one.before.strip(), one.mutation.after.strip())
        told = (how.result, how.by, how.stage, how.result == SEEN and how.quick)
        return (self.part, one.path, one.line, one.mutation.kind, *texts, *told)


class Queue:
    """The faults that are left, one queue for all workers; the core's, slow ones, come last."""

    def __init__(self, wanted: dict[str, int], project: Path, seed: int, kept: Path) -> None:
        self.wanted, self.kept, self.tried = wanted, kept, []
        self._lock = threading.Lock()
        self._draws = {part: drawn(part, project, seed) for part in SOURCES}
        self._taken: Counter[str] = Counter()
        rows = list(csv.DictReader(kept.open(encoding="utf-8"))) if kept.is_file() else []
        for row in rows:
            fault = next(self._draws[row["part"]])
            outcome = Outcome(
                row["result"], row["seen_by"], row["stage"], row["by_test_sh"] == "True"
            )
            self._count(Tried(row["part"], fault, outcome))

    def _count(self, one: Tried) -> None:
        self.tried.append(one)
        self._taken[one.part] += one.outcome.result != REFUSED

    def take(self) -> tuple[str, Fault] | None:
        """The next fault; of the parts that are not the core in turn."""
        with self._lock:
            left = [part for part, count in self.wanted.items() if self._taken[part] < count]
            if not left:
                return None
            part = min(left, key=lambda one: (one == "rust", self._taken[one]))
            fault = next(self._draws[part], None)
            self._taken[part] += 1
            return (part, fault) if fault else None

    def put(self, one: Tried) -> None:
        """Keep what became of one, at once."""
        with self._lock:
            self._taken[one.part] -= 1
            self._count(one)
            new = not self.kept.is_file()
            with self.kept.open("a", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerows([COLUMNS] * new + [one.row()])


def main(words: list[str]) -> None:
    """Print each fault and who saw it; with --save keep the shares, and the faults as CSV."""
    parser = proof.arguments("planted")
    parser.add_argument("faults", nargs="?", type=whole_number, default=FAULTS)
    parser.add_argument("--seed", type=whole_number, default=SEED)
    parser.add_argument("--workers", type=whole_number, default=1)
    parser.add_argument("--minutes", type=minutes_of_time)
    parser.add_argument("--only", nargs="+", choices=SOURCES, default=list(SOURCES))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--at-once", action="store_true")
    asked = parser.parse_args(words)
    if asked.at_once:
        figures = [at_once.figure()]
        print(proof.line(*figures))
        if asked.save:
            title = "Faults in the rules of verdicts, all at once"
            print(proof.save("planted-at-once", title, proof.typed(parser.prog, words), figures))
        return
    shares = {
        part: (asked.faults + at) // len(SOURCES) for at, part in enumerate(reversed(SOURCES))
    }
    quick = "-quick" * asked.quick
    kept = proof.PROJECT / f".diskbench/planted-{proof.version()}-{asked.seed}{quick}.csv"
    kept.parent.mkdir(exist_ok=True)
    queue = Queue({part: shares[part] for part in asked.only}, proof.PROJECT, asked.seed, kept)
    _try_all(queue, asked.workers, asked.minutes, not asked.quick)
    tried = [one for one in queue.tried if one.outcome.result != REFUSED]
    figures = list(_figures(tried, asked.faults, asked.quick))
    for one in figures:
        print(proof.line(one))
    if asked.save:
        command = proof.typed(parser.prog, words)
        title = f"{len(tried)} of {asked.faults} faults planted one at a time (seed {asked.seed})"
        print(proof.save("planted", title, command, figures))
        (proof.PROOFS / "planted.csv").write_bytes(kept.read_bytes())


def _try_all(queue: Queue, workers: int, minutes: float | None, slow: bool) -> None:
    """By so many workers, until the time is up; a signal ends all that they started."""
    children = Children()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    last = time.monotonic() + 60 * minutes if minutes is not None else None
    with tempfile.TemporaryDirectory(prefix="diskbench-planted-") as folder:

        def work(number: int) -> None:
            copy = Copy(Path(folder) / str(number), children, slow)
            while (last is None or time.monotonic() < last) and (taken := queue.take()):
                part, fault = taken
                outcome = copy.tried(fault)
                queue.put(Tried(part, fault, outcome))
                said = f"{len(queue.tried)} {fault}: {outcome.result} {outcome.by} {outcome.stage}"
                print(said.rstrip(), file=sys.stderr, flush=True)

        with ThreadPoolExecutor(workers) as at_once:
            try:
                for done in [at_once.submit(work, number) for number in range(workers)]:
                    done.result()
            finally:
                children.end()


def _figures(tried: list[Tried], planned: int, quick: bool) -> Iterator[Figure]:
    yield Figure(f"Faults tried, of {planned}", len(tried), "faults")
    for part in (None, *NAMES):
        some = [one for one in tried if part in (None, one.part)]
        if not some:
            continue
        where = "all parts" if part is None else NAMES[part]
        seen = [one.outcome for one in some if one.outcome.result == SEEN]
        if not quick:
            yield _share(f"by the tests, in {where}", len(seen), len(some), not part and LEAST_SEEN)
        by_few = sum(one.quick for one in seen)
        goal = not part and LEAST_SEEN_QUICKLY
        yield _share(f"by `test.sh` alone, in {where}", by_few, len(some), goal)
        late = sum(one.outcome.result == TIMED_OUT for one in some)
        yield Figure(f"Not detected within the tests' time limit, in {where}", late, "faults")


def _share(by: str, seen: int, of: int, goal: goals.Band | bool) -> Figure:
    interval = goals.percent(goals.of_share(seen, of))
    what = f"Faults seen {by}: {of} planted"
    return proof.estimated(what, 100 * seen / of, "%", interval, goal or None)
