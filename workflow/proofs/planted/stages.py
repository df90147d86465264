"""The tests to run for a fault, the likeliest first, with time limits."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from proofs.planted.ran import Ran

# the folder of tests for a folder of sources that has another name
ROOMS = {"lib": "publish", "sql": "database"}
# a single test of these can take minutes: they are run last
WHOLE = ("e2e", "mac")
# the core's crate that uses all others, and the tests of Python that run it
STUDY = "diskbench-core"
CORE_ROOMS = ("mac", "images")
# so many lines around a fault have the words by which its likeliest tests are found
AROUND = 8


@dataclass(frozen=True)
class Stage:
    """Tests of Python, or words for `cargo test`; how long they may take, in seconds of processor.

    quick: `test.sh` runs them too.
    """

    name: str
    tests: tuple[str, ...]
    seconds: int
    quick: bool = True
    cargo: bool = False


def stages(path: Path, line: int, project: Path, ran: Ran | None = None) -> Iterator[Stage]:
    """Of Python, where it is known which tests run the line: those, then the rest of their rooms.

    Such a room may share what was set up; it is not asked where nothing is shared. Else A: the
    tests that name what is changed; B: the rest of its room; C: the whole workflow. Last, D: of all
    these, and of others that name it, those that take long.
    """
    every = sorted((project / "workflow/tests").rglob("test_*.py"))
    every = [test for test in every if "whole" not in test.parts]
    rooms = {test.parent.name for test in every}
    if path.suffix == ".rs":
        run_it = [
            str(test.relative_to(project)) for test in every if test.parent.name in CORE_ROOMS
        ]
        yield from _of_the_core(path.parts[1], tuple(run_it))
        return
    name, room = _name(path), _room(path)
    # what all rooms use is seen where a study is planned
    room = room if room in rooms else "study"
    words = {test: set(re.findall(r"\w+", test.read_text(encoding="utf-8"))) for test in every}
    speaks = {test for test in every if name in words[test]}
    near = _near(project / path, line)
    among = {word: sum(word in said for said in words.values()) for word in near}
    # a word that few tests have tells most
    like = {test: sum(1 / among[word] for word in near & words[test]) for test in every}
    naming = [test for test in every if test in speaks and test.parent.name not in WHOLE]
    naming.sort(key=lambda test: (test.parent.name != room, -like[test]))
    rest = [test for test in every if test.parent.name == room and test not in naming]
    whole = [test for test in every if test.parent.name == "e2e" or test in speaks - {*naming}]
    late = [test for test in every if test in {*naming, *rest, *whole}]
    functions, alone = ran.tests(project, path, line) if ran else ([], False)
    if functions:
        functions.sort(key=lambda one: project / one.partition("::")[0] not in speaks)
        homes = {(project / one.partition("::")[0]).parent for one in functions}
        shared = [] if alone else [test for test in every if test.parent in homes]
        asked = ((functions, 600, True), (shared, 900, True), (late, 1800, False))
    else:
        asked = ((naming, 300, True), (rest, 900, True), (whole, 1800, True), (late, 1800, False))
    for letter, (tests, seconds, quick) in zip("ABCD", asked, strict=False):
        if tests:
            named = tuple(str(one).removeprefix(f"{project}/") for one in tests)
            yield Stage(letter, named, seconds, quick)


def _of_the_core(crate: str, run_it: tuple[str, ...]) -> Iterator[Stage]:
    """A: the crate's tests; B: those of the crates that use it; C: those of Python that run it.

    D and E: of all these, those that take long. Cargo builds examples, which some tests start, only
    where no kind of target is named.
    """
    quick = ("--", "--skip", "slow::")
    yield Stage("A", ("--package", crate, *quick), 900, cargo=True)
    if crate != STUDY:
        yield Stage("B", ("--workspace", "--exclude", crate, *quick), 900, cargo=True)
    yield Stage("C", run_it, 900)
    yield Stage("D", ("--workspace", "--", "slow::"), 1800, quick=False, cargo=True)
    yield Stage("E", run_it, 1800, quick=False)


def _near(path: Path, line: int) -> set[str]:
    """The words of a source around a line."""
    lines = path.read_text(encoding="utf-8").splitlines()[max(line - AROUND, 0) : line + AROUND]
    return set(re.findall(r"\w+", "\n".join(lines)))


def _name(path: Path) -> str:
    """What tests call the module or table of a file."""
    own = path.stem not in ("__init__", "lib", "mod")
    return re.sub(r"^\d+_(stg_)?", "", path.stem if own else path.parent.name)


def _room(path: Path) -> str:
    folder = path.parts[2] if path.parts[:2] == ("workflow", "scripts") else path.parts[1]
    return ROOMS.get(folder.removesuffix(".py"), folder.removesuffix(".py"))
