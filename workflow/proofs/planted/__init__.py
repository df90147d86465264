"""Mutation testing: small faults in the code, one at a time. Which do the tests detect?

Usage: bash workflow/prove.sh planted [FAULTS] [--seed SEED] [--quick] [--save]
  FAULTS    how many (150)
  --seed    of the faults, drawn at random (1)
  --quick   leave out the tests that only `test.sh all` runs
  --save    keeps the shares and the faults in data/proofs/planted.json and planted.csv

Python, SQL, pages and the core get equal numbers of faults, in a copy of the project at its last
commit. Of Python, SQL and pages the tests that name the changed part come first, then the others of
its folder and the whole workflow; of the core its own tests, then those of Python that run it.
Slow tests come last, each with a time limit. A test that fails without the fault too does not
count. A fault that does not compile is replaced by another. It takes hours: results are kept below
.diskbench, and the same command resumes there at the same commit.
"""

import csv
import signal
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import places
from arguments import whole_number
from proofs.planted.faults import SOURCES, drawn
from proofs.planted.trial import REFUSED, SEEN, TIMED_OUT, Copy
from proofs.support import goals, proof
from proofs.support.proof import Figure

# Of 150 faults two may go unseen, and the exact interval of the share still lies above the goal. A
# quarter of them is too few for that: a part by itself has an interval and no goal.
FAULTS, SEED = 150, 1
LEAST_SEEN = goals.at_least(95, ">= 95 %")
LEAST_SEEN_QUICKLY = goals.at_least(85, ">= 85 %")
NAMES = {"python": "the workflow", "sql": "SQL", "pages": "the pages", "rust": "the core"}
# which fault it is, as `Fault.told` says it, and what became of it
COLUMNS = ("part", "file", "line", "kind", "before", "after", "result", "seen_by", "by_test_sh")

# of a fault, by these columns
Row = dict[str, str]


def main(words: list[str]) -> None:
    """Print each fault and who saw it; with --save keep the shares, and the faults as CSV."""
    parser = proof.arguments("planted")
    parser.add_argument("faults", nargs="?", type=whole_number, default=FAULTS)
    parser.add_argument("--seed", type=whole_number, default=SEED)
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args(words)
    # so that what is running ends too
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    folder = proof.PROJECT / ".diskbench/planted" / ("quick" if asked.quick else "all")
    kept = folder / f"{places.commit(proof.PROJECT)}-{asked.seed}.csv"
    with tempfile.TemporaryDirectory(prefix="diskbench-planted-") as temporary:
        copy = Copy(Path(temporary) / "project", not asked.quick)
        rows = [
            row
            for at, part in enumerate(reversed(SOURCES))
            for row in tried(part, (asked.faults + at) // len(SOURCES), asked.seed, copy, kept)
        ]
    found = [row for row in rows if row["result"] != REFUSED]
    title = f"{len(found)} faults planted one at a time (seed {asked.seed})"
    proof.show(asked, "planted", title, _figures(found, asked.faults, asked.quick))
    if asked.save:
        with (proof.PROOFS / "planted.csv").open("w", encoding="utf-8", newline="") as file:
            _writer(file).writeheader()
            _writer(file).writerows(rows)


def tried(part: str, wanted: int, seed: int, copy: Copy, kept: Path) -> Iterator[Row]:
    """The faults of a part, each written to `kept` at once; those that it has are not tried again.

    A fault that does not compile is one more than wanted.
    """
    rows = []
    if kept.exists():
        with kept.open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["part"] == part]
    yield from rows
    count = sum(row["result"] != REFUSED for row in rows)
    # in their order, of which those that were tried are the first
    for fault in islice(drawn(part, copy.folder, seed), len(rows), None):
        if count >= wanted:
            return
        outcome = copy.tried(fault)
        count += outcome.result != REFUSED
        print(f"{fault}: {outcome.result} {outcome.by}".rstrip(), file=sys.stderr, flush=True)
        by_test_sh = outcome.result == SEEN and outcome.quick
        told = (part, *fault.told(), outcome.result, outcome.by, str(by_test_sh))
        row = dict(zip(COLUMNS, told, strict=True))
        kept.parent.mkdir(parents=True, exist_ok=True)
        with kept.open("a", encoding="utf-8", newline="") as file:
            if not file.tell():
                _writer(file).writeheader()
            _writer(file).writerow(row)
        yield row


def _writer(file) -> csv.DictWriter:
    return csv.DictWriter(file, COLUMNS, lineterminator="\n")


def _figures(tried: list[Row], planned: int, quick: bool) -> Iterator[Figure]:
    yield Figure(f"Faults tried, of {planned}", len(tried), "faults")
    for part in (None, *NAMES):
        some = [row for row in tried if part in (None, row["part"])]
        if not some:
            continue
        where = NAMES[part] if part else "all parts"
        if not quick:
            seen = sum(row["result"] == SEEN for row in some)
            yield _share(f"by the tests, in {where}", seen, len(some), not part and LEAST_SEEN)
        by_few = sum(row["by_test_sh"] == "True" for row in some)
        goal = not part and LEAST_SEEN_QUICKLY
        yield _share(f"by `test.sh` alone, in {where}", by_few, len(some), goal)
        late = sum(row["result"] == TIMED_OUT for row in some)
        yield Figure(f"Not detected within the tests' time limit, in {where}", late, "faults")


def _share(by: str, seen: int, of: int, goal: goals.Band | bool) -> Figure:
    interval = goals.percent(goals.of_share(seen, of))
    what = f"Faults seen {by}: {of} planted"
    return proof.estimated(what, 100 * seen / of, "%", interval, goal or None)
