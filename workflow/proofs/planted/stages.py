"""Which tests are asked about a fault, and for how long: the likeliest first."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# the folder of tests for a folder of sources that has another name
ROOMS = {"lib": "publish", "sql": "database"}
# a single test of these can take minutes: they are asked last
WHOLE = ("e2e", "mac")
# of the core's crates, those tests of Python that run it
CORE_ROOMS = ("mac", "images")


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


def stages(path: Path, project: Path) -> Iterator[Stage]:
    """A: the tests that name what is changed; B: the rest of its room; C: what takes long."""
    every = sorted((project / "workflow/tests").rglob("test_*.py"))
    every = [test for test in every if "whole" not in test.parts]
    rooms = {test.parent.name for test in every}
    if path.suffix == ".rs":
        yield from _of_the_core(path, project)
        run_it = [
            str(test.relative_to(project)) for test in every if test.parent.name in CORE_ROOMS
        ]
        yield Stage("C", tuple(run_it), 1800, quick=False)
        return
    name, room = _name(path), _room(path)
    # what all rooms use is seen where a study is planned
    room = room if room in rooms else "study"
    speaks = {test: len(re.findall(rf"\b{name}\b", test.read_text())) for test in every}
    naming = [test for test in every if speaks[test] and test.parent.name not in WHOLE]
    naming.sort(key=lambda test: (test.parent.name != room, -speaks[test]))
    rest = [test for test in every if test.parent.name == room and test not in naming]
    late = [test for test in every if test in naming or test.parent.name == room or speaks[test]]
    for letter, tests, seconds, quick in (
        ("A", naming, 90, True),
        ("B", rest, 240, True),
        ("C", late, 1800, False),
    ):
        if tests:
            yield Stage(
                letter, tuple(str(one.relative_to(project)) for one in tests), seconds, quick
            )


def _of_the_core(path: Path, project: Path) -> Iterator[Stage]:
    """The crate's own tests, then those beside it that name the module."""
    crate = path.parts[1]
    package = ("--package", crate)
    yield Stage("A", (*package, "--lib", "--", "--skip", "slow::"), 240, cargo=True)
    tests = project / "core" / crate / "tests"
    programs = [word for stem in _naming(path, tests, "*.rs") for word in ("--test", stem)]
    modules = [f"{stem}::" for stem in _naming(path, tests, "program/*.rs")]
    if modules:
        programs += ["--test", "program"]
    if programs:
        yield Stage("B", (*package, *programs, "--", *modules, "--skip", "slow::"), 240, cargo=True)
    yield Stage("C", (*package, "--", "slow::"), 1800, quick=False, cargo=True)


def _naming(path: Path, tests: Path, pattern: str) -> list[str]:
    """The files of tests that name the module of a file."""
    name = re.compile(rf"\b{_name(path)}\b")
    files = sorted(tests.glob(pattern))
    return [file.stem for file in files if name.search(file.read_text(encoding="utf-8"))]


def _name(path: Path) -> str:
    """What tests call the module or table of a file."""
    own = path.stem not in ("__init__", "lib", "mod")
    return re.sub(r"^\d+_(stg_)?", "", path.stem if own else path.parent.name)


def _room(path: Path) -> str:
    folder = path.parts[2] if path.parts[:2] == ("workflow", "scripts") else path.parts[1]
    return ROOMS.get(folder.removesuffix(".py"), folder.removesuffix(".py"))
