"""Small faults, planted one at a time: which do the tests see?

Usage: bash workflow/prove.sh planted [FAULTS] [--seed SEED] [--save]
  FAULTS   how many (150)
  --seed   of the faults, drawn at random (1)
  --save   keeps the shares and the faults in data/proofs/planted.json and planted.csv

A third each is planted in the core, in Python and in SQL, in a copy of the project at its last
commit. The tests of that part run until the first one fails: those that `test.sh` runs, then those
that only `test.sh all` runs. A fault that the compiler refuses is no fault, and another is drawn.
It takes hours.
"""

import csv
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from arguments import whole_number
from proofs.planted.mutations import Mutation, changed, mutations
from proofs.support import goals, proof
from proofs.support.proof import Figure

# Of 150 faults two may go unseen, and the exact interval of the share still lies above the goal. A
# third of them is too few for that: a part by itself has an interval and no goal.
FAULTS, SEED = 150, 1
LEAST_SEEN = goals.at_least(95, ">= 95 %")
LEAST_SEEN_QUICKLY = goals.at_least(85, ">= 85 %")
# where faults are planted: not in what measures the project itself, nor in what only a Mac compiles
SOURCES = {
    "rust": ("core/*/src/**/*.rs", r"/fuzz/|/tests\.rs|/testing|macos\.rs"),
    "python": ("workflow/scripts/**/*.py", r"^$"),
    "pages": ("reports/lib/**/*.py", r"^$"),
    "sql": ("workflow/sql/*.sql", r"^$"),
}
# the folder of tests for a folder of sources that has another name
ROOMS = {"lib": "publish", "upload": "publish", "sql": "database"}
# of these rooms a single test can take minutes, so they come after the others
SLOW = ("publish", "e2e", "mac", "images")
NO_TESTS = 5  # pytest's exit code
# no test hangs for less
LONGEST_SECONDS = 1800
# which tests `test.sh` runs, and which `test.sh all` alone: pytest's, and the core's
QUICK, SLOW_ALONE = ("not slow", ("--skip", "slow::")), ("slow", ("slow::",))


@dataclass(frozen=True)
class Fault:
    """One mutation of the file `path`, relative to the project."""

    path: Path
    line: int
    before: str
    mutation: Mutation


@dataclass(frozen=True)
class Seen:
    """The first test that failed, an empty text where none did; whether `test.sh` runs it."""

    by: str
    quickly: bool = True


def main(words: list[str]) -> None:
    """Print each fault and who saw it; with --save keep the shares, and the faults as CSV."""
    parser = proof.arguments("planted")
    parser.add_argument("faults", nargs="?", type=whole_number, default=FAULTS)
    parser.add_argument("--seed", type=whole_number, default=SEED)
    asked = parser.parse_args(words)
    shares = {"rust": asked.faults // 3, "sql": asked.faults // 3}
    shares["python"] = (asked.faults - sum(shares.values())) * 2 // 3
    shares["pages"] = asked.faults - sum(shares.values())
    with tempfile.TemporaryDirectory(prefix="diskbench-planted-") as folder:
        copies = [Path(folder) / part for part in shares]
        seeds = [asked.seed] * len(shares)
        # by two, as many as the tests have workers
        with ThreadPoolExecutor(2) as at_once:
            lists = at_once.map(_planted, shares, shares.values(), seeds, copies)
            found = dict(zip(shares, lists, strict=True))
    figures = list(_figures(found))
    for one in figures:
        print(proof.line(one))
    if asked.save:
        command = proof.typed(parser.prog, words)
        title = f"{asked.faults} faults planted one at a time (seed {asked.seed})"
        print(proof.save("planted", title, command, figures))
        print(_kept(found, proof.PROOFS / "planted.csv"))


def drawn(part: str, project: Path, seed: int) -> Iterator[Fault]:
    """Every fault of a part of the project in a random order: first a kind is drawn, then a file
    that has it, then the place, so that rare kinds and small files come as often as the others."""
    dice = random.Random(f"{part} {seed}")
    pattern, left_out = SOURCES[part]
    by_kind: dict[str, dict[Path, list[Fault]]] = {}
    for path in sorted(project.glob(pattern)):
        name = path.relative_to(project)
        if not re.search(left_out, f"/{name}"):
            text = path.read_text(encoding="utf-8")
            for one in mutations("python" if part == "pages" else part, text):
                fault = Fault(
                    name, text.count("\n", 0, one.start) + 1, text[one.start : one.end], one
                )
                by_kind.setdefault(one.kind, {}).setdefault(name, []).append(fault)
    while by_kind:
        kind = dice.choice(sorted(by_kind))
        name = dice.choice(sorted(by_kind[kind]))
        places = by_kind[kind][name]
        yield places.pop(dice.randrange(len(places)))
        if not places:
            del by_kind[kind][name]
        if not by_kind[kind]:
            del by_kind[kind]


def tests_of(path: Path, project: Path) -> list[str]:
    """The test files that may see a fault in `path`, those that speak of its module first: of its
    own room all, of the others only those; of the pages' room, which is slow, only those too."""
    folder = path.parts[2] if path.parts[:2] == ("workflow", "scripts") else path.parts[1]
    room = ROOMS.get(folder, folder)
    name = re.sub(r"^\d+_", "", path.stem if path.stem != "__init__" else path.parent.name)
    ranked = []
    for test in sorted((project / "workflow/tests").rglob("test_*.py")):
        speaks = len(re.findall(rf"\b{name}\b", test.read_text(encoding="utf-8")))
        own = test.parent.name == room
        if (speaks or (own and room not in SLOW)) and "whole" not in test.parts:
            ranked.append(
                (test.parent.name in SLOW and not own, -bool(speaks), not own, -speaks, test)
            )
    return [str(test.relative_to(project)) for *_, test in sorted(ranked)]


def _planted(part: str, number: int, seed: int, copy: Path) -> list[tuple[Fault, Seen]]:
    """Each fault, and who saw it."""
    subprocess.run(["git", "clone", "--quiet", str(proof.PROJECT), str(copy)], check=True)
    (copy / ".diskbench").mkdir()
    for shared in (".venv", ".conda", ".diskbench/tools"):
        if (proof.PROJECT / shared).exists():
            (copy / shared).symlink_to(proof.PROJECT / shared)
    found: list[tuple[Fault, Seen]] = []
    for fault in drawn(part, copy, seed):
        if len(found) == number:
            break
        path = copy / fault.path
        text = path.read_text(encoding="utf-8")
        path.write_text(changed(text, fault.mutation), encoding="utf-8")
        try:
            seen = _rust(fault.path, copy) if part == "rust" else _seen(fault.path, copy)
        finally:
            path.write_text(text, encoding="utf-8")
        if seen is None:
            continue  # no Rust: another one
        found.append((fault, seen))
        place = f"{fault.path}:{fault.line}: {fault.mutation.kind}"
        late = "" if seen.quickly else " (test.sh all)"
        said = f"{len(found)}/{number} {place}: {seen.by or 'NOT SEEN'}{late}"
        print(said, file=sys.stderr, flush=True)
    return found


def _rust(path: Path, copy: Path) -> Seen | None:
    """The core's own tests, those of the file's crate first; then those that run the core; None if
    it is not Rust."""
    for which in (QUICK, SLOW_ALONE):
        _, names = which
        for part in (["--package", path.parts[1], "--lib"], []):
            cargo = ["cargo", "test", "--manifest-path", "core/Cargo.toml", "--locked", *part]
            code, said = _run([*cargo, "--", *names], copy)
            if "could not compile" in said:
                return None
            if code:
                failed = re.search(r"^test (\S+).* FAILED$", said, re.M)
                by = failed[1] if failed else "the core's tests end without a verdict"
                return Seen(by, which is QUICK)
        if by := _pytest([f"workflow/tests/{room}" for room in ("mac", "images")], which, copy):
            return Seen(by, which is QUICK)
    return Seen("")


def _seen(path: Path, copy: Path) -> Seen:
    """The tests that may see a fault in this file of Python or SQL."""
    for which in (QUICK, SLOW_ALONE):
        if by := _pytest(tests_of(path, copy), which, copy):
            return Seen(by, which is QUICK)
    return Seen("")


def _pytest(files: list[str], which: tuple[str, tuple[str, ...]], copy: Path) -> str:
    words = (
        "-m pytest -c workflow/pytest.ini --rootdir . -x -q -rfE --no-header --basetemp tmp/tests"
    )
    code, said = _run([sys.executable, *words.split(), "-m", which[0], *files], copy)
    if code in (0, NO_TESTS):
        return ""
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", said, re.M)
    return failed[1] if failed else "the tests end without a verdict"


def _run(words: list[str], copy: Path) -> tuple[int, str]:
    """Exit code and output; what hangs is killed with all that it started, and has failed."""
    (copy / "tmp").mkdir(exist_ok=True)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment |= {"TMPDIR": str(copy / "tmp"), "PYTHONDONTWRITEBYTECODE": "1"}
    with (copy / "tmp/said").open("w+", encoding="utf-8", errors="replace") as said:
        started = subprocess.Popen(
            words,
            cwd=copy,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = started.wait(LONGEST_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            code = started.wait()
        said.seek(0)
        return code, said.read()


def _figures(found: dict[str, list[tuple[Fault, Seen]]]) -> Iterator[Figure]:
    every = [one for part in found.values() for one in part]
    names = {"rust": "the core", "python": "the workflow", "pages": "the pages", "sql": "SQL"}
    for what, faults in [("all parts", every)] + [(names[part], found[part]) for part in found]:
        seen = [one for _, one in faults if one.by]
        whole = faults is every
        yield _share(f"by the tests, in {what}", len(seen), len(faults), whole and LEAST_SEEN)
        quickly = sum(one.quickly for one in seen)
        named = f"by `test.sh` alone, in {what}"
        yield _share(named, quickly, len(faults), whole and LEAST_SEEN_QUICKLY)


def _share(by: str, seen: int, of: int, goal: goals.Band | bool) -> Figure:
    interval = goals.percent(goals.of_share(seen, of))
    what = f"Faults seen {by}: {of} planted"
    return proof.estimated(what, 100 * seen / of, "%", interval, goal or None)


def _kept(found: dict[str, list[tuple[Fault, Seen]]], path: Path) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["file", "line", "kind", "before", "after", "seen_by", "by_test_sh"])
        for fault, seen in (one for part in found.values() for one in part):
            texts = (fault.before.strip(), fault.mutation.after.strip())
            writer.writerow(
                (
                    fault.path,
                    fault.line,
                    fault.mutation.kind,
                    *texts,
                    seen.by,
                    bool(seen.by and seen.quickly),
                )
            )
    return path
