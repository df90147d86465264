"""The choice and order of planted faults."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from proofs.planted.mutations import Mutation, mutations

# where faults are planted: not in what measures the project itself or serves its tests, nor in what
# only a Mac compiles
SOURCES = {
    "python": ("workflow/scripts/**/*.py", r"^$"),
    "sql": ("workflow/sql/*/*.sql", r"^$"),
    "pages": ("reports/lib/**/*.py", r"^$"),
    "rust": ("core/*/src/**/*.rs", r"/fuzz/|/tests/|/tests\.rs|/testing|/stand_in|macos\.rs"),
}


@dataclass(frozen=True)
class Fault:
    """One mutation of the file `path`, relative to the project."""

    path: Path
    line: int
    before: str
    mutation: Mutation

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.mutation.kind}"

    def told(self) -> tuple[str, str, str, str, str]:
        """Its position, kind, and the text before and after."""
        texts = (self.before.strip(), self.mutation.after.strip())
        return (str(self.path), str(self.line), self.mutation.kind, *texts)


def sources(part: str, project: Path) -> list[Path]:
    """The files of a part of the project, relative to it."""
    pattern, left_out = SOURCES[part]
    found = [path.relative_to(project) for path in sorted(project.glob(pattern))]
    found = [path for path in found if not re.search(left_out, f"/{path}")]
    if part != "rust":
        return found
    tests = {
        module for path in found for module in _modules_of_tests(path, (project / path).read_text())
    }
    return [path for path in found if not tests & {path.with_suffix(""), *path.parents}]


def _modules_of_tests(path: Path, text: str) -> set[Path]:
    """The modules that this file declares for its tests alone, each without the suffix."""
    home = path.parent if path.name in ("lib.rs", "main.rs") else path.with_suffix("")
    declared = r"^#\[cfg\(test\)\]\n(?:pub(?:\(\w+\))? )?mod (\w+);"
    return {home / name for name in re.findall(declared, text, re.M)}


def drawn(part: str, project: Path, seed: int) -> Iterator[Fault]:
    """Every fault of a part of the project in a random order: first a kind is drawn, then a file
    that has it, then the place, so that rare kinds and small files come as often as the others."""
    dice = random.Random(f"{part} {seed}")
    by_kind: dict[str, dict[Path, list[Fault]]] = {}
    for name in sources(part, project):
        text = (project / name).read_text(encoding="utf-8")
        for one in mutations("python" if part == "pages" else part, text):
            line = text.count("\n", 0, one.start) + 1
            fault = Fault(name, line, text[one.start : one.end], one)
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
