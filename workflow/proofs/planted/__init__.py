"""Mutation testing: small faults in the code, one at a time. Which do the tests detect?

Usage: bash workflow/prove.sh planted [FAULTS] [OPTION ...]
  FAULTS     how many (150)
  --seed     of the faults, drawn at random (1)
  --workers  faults that are tried at once, each in a copy of the project (1)
  --minutes  start no other fault after so many minutes
  --only     of these parts alone: python, sql, pages, rust
  --quick    leave out the tests that only `test.sh all` runs
  --save     keeps the shares and the faults in data/proofs/planted.json and planted.csv; of some
             parts alone in files that name these

Python, SQL, pages and the core get equal numbers of faults, in a copy of the project at its last
commit. For a fault in Python, the tests that run the changed line come first (recorded once by
coverage.py), then the other tests of their folders. For other faults, the tests that name the
changed part come first, then the other tests of its folder and the whole workflow. Slow tests come
last, each with a time limit. A test that fails without the fault too does not count; a test of the
core that never ends with the fault, and passes without it, detects it. A fault that does not
compile is replaced by another. It takes hours: results are kept below .diskbench, and the same
command resumes there, also at a later commit with the same sources.
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
from pathlib import Path

from arguments import minutes as minutes_of_time
from arguments import whole_number
from proofs.planted import ran
from proofs.planted.faults import SOURCES, Fault, drawn, fingerprint
from proofs.planted.ran import Ran
from proofs.planted.trial import REFUSED, SEEN, TIMED_OUT, Children, Copy, Outcome
from proofs.support import goals, proof
from proofs.support.proof import Figure

# Of 150 faults two may go unseen, and the exact interval of the share still lies above the goal. A
# quarter of them is too few for that: a part by itself has an interval and no goal.
FAULTS, SEED = 150, 1
LEAST_SEEN = goals.at_least(95, ">= 95 %")
LEAST_SEEN_QUICKLY = goals.at_least(85, ">= 85 %")
NAMES = {"python": "the workflow", "sql": "SQL", "pages": "the pages", "rust": "the core"}
# which fault it is, as `Fault.told` says it, what became of it, and at which commit of the project
TOLD = ("file", "line", "kind", "before", "after")
COLUMNS = ("part", *TOLD, "result", "seen_by", "stage", "by_test_sh", "version")


class Queue:
    """The faults that are left, one queue for all workers; the core's, slow ones, come last.

    What was tried is kept by part, for as long as the part's sources stay the same.
    """

    def __init__(self, wanted: dict[str, int], project: Path, seed: int, folder: Path) -> None:
        self.wanted = wanted
        self.tried: list[tuple[str, Outcome]] = []
        self.kept = {
            part: folder / f"{part}-{fingerprint(part, project)}-{seed}.csv" for part in wanted
        }
        self._lock = threading.Lock()
        self._draws: dict[str, Iterator[Fault]] = {}
        self._taken: Counter[str] = Counter()
        folder.mkdir(parents=True, exist_ok=True)
        for part, path in self.kept.items():
            rows = list(csv.DictReader(path.open(encoding="utf-8"))) if path.is_file() else []
            known = Counter(tuple(row[name] for name in TOLD) for row in rows)
            self._draws[part] = _others(drawn(part, project, seed), known)
            for row in rows:
                quick = row["by_test_sh"] == "True"
                how = Outcome(row["result"], row["seen_by"], row["stage"], quick)
                self._count(part, how)

    def _count(self, part: str, outcome: Outcome) -> None:
        self.tried.append((part, outcome))
        self._taken[part] += outcome.result != REFUSED

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

    def has_python(self) -> bool:
        """Whether any fault of Python is left."""
        return any(self._taken[part] < self.wanted.get(part, 0) for part in ("python", "pages"))

    def put(self, part: str, fault: Fault, outcome: Outcome) -> None:
        """Keep what became of one, at once."""
        by_few = outcome.result == SEEN and outcome.quick
        how = (outcome.result, outcome.by, outcome.stage, by_few, proof.version())
        with self._lock:
            self._taken[part] -= 1
            self._count(part, outcome)
            _append(self.kept[part], (part, *fault.told(), *how))


def _others(faults: Iterator[Fault], known: Counter[tuple]) -> Iterator[Fault]:
    """All but those that are known."""
    for fault in faults:
        if known[fault.told()] > 0:
            known[fault.told()] -= 1
        else:
            yield fault


def _append(path: Path, row: tuple) -> None:
    new = not path.is_file()
    with path.open("a", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS] * new + [row])


def main(words: list[str]) -> None:
    """Print each fault and who saw it; with --save keep the shares, and the faults as CSV."""
    parser = proof.arguments("planted")
    parser.add_argument("faults", nargs="?", type=whole_number, default=FAULTS)
    parser.add_argument("--seed", type=whole_number, default=SEED)
    parser.add_argument("--workers", type=whole_number, default=1)
    parser.add_argument("--minutes", type=minutes_of_time)
    parser.add_argument("--only", nargs="+", choices=SOURCES, default=list(SOURCES))
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args(words)
    shares = {
        part: (asked.faults + at) // len(SOURCES) for at, part in enumerate(reversed(SOURCES))
    }
    folder = proof.PROJECT / ".diskbench/planted" / ("quick" if asked.quick else "all")
    queue = Queue({part: shares[part] for part in asked.only}, proof.PROJECT, asked.seed, folder)
    _try_all(queue, asked.workers, asked.minutes, not asked.quick)
    tried = [one for one in queue.tried if one[1].result != REFUSED]
    title = (
        f"{len(tried)} of {asked.faults} faults planted one at a time in {_where(tried)} "
        f"(seed {asked.seed})"
    )
    some = asked.only if len(asked.only) < len(SOURCES) else []
    name = "-".join(["planted", *some])
    proof.show(asked, name, title, list(_figures(tried, asked.faults, asked.quick)))
    if asked.save:
        kept = [path.read_text(encoding="utf-8") for path in queue.kept.values() if path.is_file()]
        rows = "".join(text.partition("\n")[2] for text in kept)
        every = f"{','.join(COLUMNS)}\n{rows}"
        (proof.PROOFS / f"{name}.csv").write_text(every, encoding="utf-8")


def _try_all(queue: Queue, workers: int, minutes: float | None, slow: bool) -> None:
    """By so many workers, until the time is up; a signal ends all that they started."""
    children = Children()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    last = time.monotonic() + 60 * minutes if minutes is not None else None
    with tempfile.TemporaryDirectory(prefix="diskbench-planted-") as folder:
        copies = [Copy(Path(folder) / str(number), children, slow) for number in range(workers)]
        if queue.has_python():
            known = _ran(copies[0])
            for copy in copies:
                copy.ran = known

        def work(number: int) -> None:
            copy = copies[number]
            while (last is None or time.monotonic() < last) and (taken := queue.take()):
                part, fault = taken
                outcome = copy.tried(fault)
                queue.put(part, fault, outcome)
                said = f"{len(queue.tried)} {fault}: {outcome.result} {outcome.by} {outcome.stage}"
                print(said.rstrip(), file=sys.stderr, flush=True)

        with ThreadPoolExecutor(workers) as pool:
            try:
                for done in [pool.submit(work, number) for number in range(workers)]:
                    done.result()
            finally:
                children.end()


def _ran(copy: Copy) -> Ran:
    """Which tests run a line, as kept or else recorded."""
    kept = proof.PROJECT / f".diskbench/planted/ran-{ran.fingerprint(proof.PROJECT)}"
    if kept.is_dir():
        return Ran(kept)
    print("recording which tests run which line (once, about 20 minutes)", file=sys.stderr)
    return copy.record(kept)


def _figures(tried: list[tuple[str, Outcome]], planned: int, quick: bool) -> Iterator[Figure]:
    yield Figure(f"Faults tried, of {planned}", len(tried), "faults")
    if not tried:
        return
    parts = _parts(tried)
    for part in (None, *(parts if len(parts) > 1 else ())):
        some = [how for of, how in tried if part in (None, of)]
        where = NAMES[part] if part else _where(tried)
        seen = [how for how in some if how.result == SEEN]
        if not quick:
            yield _share(f"by the tests, in {where}", len(seen), len(some), not part and LEAST_SEEN)
        by_few = sum(how.quick for how in seen)
        goal = not part and LEAST_SEEN_QUICKLY
        yield _share(f"by `test.sh` alone, in {where}", by_few, len(some), goal)
        late = sum(how.result == TIMED_OUT for how in some)
        yield Figure(f"Not detected within the tests' time limit, in {where}", late, "faults")


def _parts(tried: list[tuple[str, Outcome]]) -> list[str]:
    return [part for part in NAMES if any(of == part for of, _ in tried)]


def _where(tried: list[tuple[str, Outcome]]) -> str:
    """The parts of the project in which faults were tried."""
    parts = _parts(tried)
    return "all parts" if len(parts) == len(NAMES) else ", ".join(NAMES[part] for part in parts)


def _share(by: str, seen: int, of: int, goal: goals.Band | bool) -> Figure:
    interval = goals.percent(goals.of_share(seen, of))
    what = f"Faults seen {by}: {of} planted"
    return proof.estimated(what, 100 * seen / of, "%", interval, goal or None)
