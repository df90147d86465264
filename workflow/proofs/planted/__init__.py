"""Mutation testing: small faults in the code, one at a time. Which do the tests detect?

Usage: bash workflow/prove.sh planted [FAULTS] [OPTION ...]
  FAULTS     how many (150)
  --seed     of the faults, drawn at random (1)
  --minutes  start no other fault after so many minutes
  --only     of these parts alone: python, sql, pages, rust
  --quick    leave out the tests that only `test.sh all` runs
  --save     keeps the shares and the faults in data/proofs/planted.json and planted.csv; of some
             parts alone in files that name these

Python, SQL, pages and the core get equal numbers of faults, in a copy of the project at its last
commit. Of Python, SQL and pages the tests that name the changed part come first, then the others of
its folder and the whole workflow; of the core its own tests, then those of Python that run it.
Slow tests come last, each with a time limit. A test that fails without the fault too does not
count; a test of the core that never ends with the fault, and passes without it, detects it. A fault
that does not compile is replaced by another. It takes hours: results are kept below .diskbench, and
the same command resumes there, also at a later commit with the same sources.
"""

import csv
import re
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from arguments import minutes, whole_number
from proofs.planted.faults import SOURCES, Fault, drawn, fingerprint
from proofs.planted.trial import REFUSED, SEEN, TIMED_OUT, Copy, Outcome
from proofs.support import goals, proof
from proofs.support.proof import Figure

# Of 150 faults two may go unseen, and the exact interval of the share still lies above the goal. A
# quarter of them is too few for that: a part by itself has an interval and no goal.
FAULTS, SEED = 150, 1
LEAST_SEEN = goals.at_least(95, ">= 95 %")
LEAST_SEEN_QUICKLY = goals.at_least(85, ">= 85 %")
NAMES = {"python": "the workflow", "sql": "SQL", "pages": "the pages", "rust": "the core"}
# which fault it is, as `Fault.told` says it, what became of it, and at which commit of the project
COLUMNS = ("part", "file", "line", "kind", "before", "after", "result", "seen_by", "by_test_sh",
           "version")  # fmt: skip


class Part:
    """The faults of one part of the project: those that were tried, and the next one.

    What was tried is kept for as long as the part's sources, and so the faults, stay the same.
    """

    def __init__(self, name: str, wanted: int, project: Path, seed: int, folder: Path) -> None:
        self.name, self.wanted = name, wanted
        self.kept = folder / f"{name}-{fingerprint(name, project)}-{seed}.csv"
        rows = list(csv.DictReader(self.kept.open(encoding="utf-8"))) if self.kept.exists() else []
        self.tried = [
            Outcome(row["result"], row["seen_by"], row["by_test_sh"] == "True") for row in rows
        ]
        # in their order, of which those that were tried are the first
        self._left = islice(drawn(name, project, seed), len(rows), None)

    def take(self) -> Fault | None:
        """The next fault; one that does not compile does not count."""
        if sum(one.result != REFUSED for one in self.tried) >= self.wanted:
            return None
        return next(self._left, None)

    def put(self, fault: Fault, outcome: Outcome) -> None:
        """Keep what became of it, at once."""
        self.tried.append(outcome)
        row = (self.name, *fault.told(), outcome.result, outcome.by)
        row += (outcome.result == SEEN and outcome.quick, proof.version())
        new = not self.kept.exists()
        self.kept.parent.mkdir(parents=True, exist_ok=True)
        with self.kept.open("a", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS] * new + [row])


def main(words: list[str]) -> None:
    """Print each fault and who saw it; with --save keep the shares, and the faults as CSV."""
    parser = proof.arguments("planted")
    parser.add_argument("faults", nargs="?", type=whole_number, default=FAULTS)
    parser.add_argument("--seed", type=whole_number, default=SEED)
    parser.add_argument("--minutes", type=minutes)
    parser.add_argument("--only", nargs="+", choices=SOURCES, default=list(SOURCES))
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args(words)
    # calls add up, so how long the last of them went on is no part of what measures this
    asked.command = re.sub(r" --minutes[ =]\S+", "", asked.command)
    folder = proof.PROJECT / ".diskbench/planted" / ("quick" if asked.quick else "all")
    parts = [
        Part(name, (asked.faults + at) // len(SOURCES), proof.PROJECT, asked.seed, folder)
        for at, name in enumerate(reversed(SOURCES))
        if name in asked.only
    ]
    _try_all(parts, asked.minutes, not asked.quick)
    tried = [(part.name, how) for part in parts for how in part.tried if how.result != REFUSED]
    title = (
        f"{len(tried)} of {asked.faults} faults planted one at a time in {_where(tried)} "
        f"(seed {asked.seed})"
    )
    some = asked.only if len(asked.only) < len(SOURCES) else []
    name = "-".join(["planted", *some])
    proof.show(asked, name, title, _figures(tried, asked.faults, asked.quick))
    if asked.save:
        kept = [part.kept.read_text(encoding="utf-8") for part in parts if part.kept.exists()]
        rows = "".join(text.partition("\n")[2] for text in kept)
        every = f"{','.join(COLUMNS)}\n{rows}"
        (proof.PROOFS / f"{name}.csv").write_text(every, encoding="utf-8")


def _try_all(parts: list[Part], most_minutes: float | None, slow: bool) -> None:
    """One at a time, until the time is up; a signal ends what is running."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    last = time.monotonic() + 60 * most_minutes if most_minutes is not None else None
    with tempfile.TemporaryDirectory(prefix="diskbench-planted-") as folder:
        copy = Copy(Path(folder) / "project", slow)
        while (last is None or time.monotonic() < last) and (taken := next_of(parts)):
            part, fault = taken
            outcome = copy.tried(fault)
            part.put(fault, outcome)
            said = f"{part.name} {len(part.tried)} {fault}: {outcome.result} {outcome.by}"
            print(said.rstrip(), file=sys.stderr, flush=True)


def next_of(parts: list[Part]) -> tuple[Part, Fault] | None:
    """The next fault, of the parts in turn; the core's, which take longest, come last."""
    for part in sorted(parts, key=lambda one: (one.name == "rust", len(one.tried))):
        if fault := part.take():
            return part, fault
    return None


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
