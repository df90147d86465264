"""Saves figures about the project itself, for the page Evidence.

A file of `data/proofs` holds the figures of one part with the day, the machine and the version that
they were found with. It is written by the run alone, and whole: the newest run of a part stands.
"""

import argparse
import json
import os
import platform
import shlex
import statistics
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import durable
import places
import record
from arguments import Parser
from proofs.support import goals
from proofs.support.goals import Band

PROJECT = Path(__file__).resolve().parents[3]
PROOFS = PROJECT / "data" / "proofs"


@dataclass(frozen=True)
class Figure:
    """One figure: what it is of, its value in `unit` (none for a ratio), its interval of 95 %.

    `goal` is in words ("93 to 97 %"). `reached` is its verdict (proofs.support.goals), None where
    there is none; a count of all that was tried is no estimate, and is judged by itself.
    """

    what: str
    value: float
    unit: str = ""
    low: float | None = None
    high: float | None = None
    goal: str | None = None
    reached: bool | None = None


def estimated(
    what: str,
    value: float,
    unit: str = "",
    interval: goals.Interval | None = None,
    goal: Band | None = None,
) -> Figure:
    """A figure that is an estimate, with the verdict on its goal."""
    low, high = interval or (None, None)
    if goal is None:
        return Figure(what, value, unit, low, high)
    return Figure(what, value, unit, low, high, goal.words, goal.judge(interval))


def counted(what: str, value: float, unit: str, goal: Band) -> Figure:
    """A figure that is no estimate, and so is judged by itself."""
    reached = goal.judge((value, value))
    return Figure(what, value, unit, goal=goal.words, reached=reached)


def over_rounds(what: str, values: list[float], unit: str = "", goal: Band | None = None) -> Figure:
    """The median of rounds, with its interval and the verdict on its goal."""
    return estimated(what, statistics.median(values), unit, goals.of_median(values), goal)


def line(figure: Figure) -> str:
    """A figure as the terminal shows it."""
    unit, share = ("MB", 1e6) if figure.unit == "bytes" else (figure.unit, 1)
    interval = ""
    if figure.low is not None:
        interval = f" [{figure.low / share:,.4g} to {figure.high / share:,.4g}]"
    verdict = "" if figure.goal is None else f"   goal {figure.goal}: {goals.told(figure.reached)}"
    return f"{figure.what:<75} {figure.value / share:10,.4g} {unit}{interval}{verdict}"


def typed(program: str, words: Iterable[str]) -> str:
    """The command that was typed: the program's name and the words behind it, as they were.

    The absolute path of a folder may contain a user's name: it becomes FOLDER, except for /dev/shm.
    """
    return " ".join([program, *(_public(word) for word in words)])


def _public(word: str) -> str:
    option, equals, value = word.rpartition("=") if word.startswith("-") else ("", "", word)
    shown = "FOLDER" if value.startswith(("/", "~")) and value != "/dev/shm" else shlex.quote(value)
    return f"{option}{equals}{shown}"


class ProofParser(Parser):
    """What was typed is kept with the figures: `command`."""

    def parse_args(self, words: list[str]) -> argparse.Namespace:
        """As argparse does it; --save is refused where files differ from those of the commit."""
        asked = super().parse_args(words)
        if asked.save and version().endswith("-dirty"):
            self.error(
                "--save is for what a commit does, and files here were changed: commit them first"
            )
        asked.command = typed(self.prog, words)
        return asked


def arguments(name: str) -> ProofParser:
    """What stands behind `prove.sh NAME`, with --save; its help is the head of its file."""
    parser = ProofParser(prog=f"bash workflow/prove.sh {name}")
    parser.add_argument("--save", action="store_true")
    return parser


def show(
    asked: argparse.Namespace, part: str, title: str, figures: Iterable[Figure], **more: bool
) -> None:
    """Print the figures as they are found; save them if --save was typed, and name the file."""
    found = []
    for figure in figures:
        print(line(figure), flush=True)
        found.append(figure)
    if asked.save:
        print(f"kept in {save(part, title, asked.command, found, **more)}")


def save(
    part: str,
    title: str,
    command: str,
    figures: Iterable[Figure],
    folder: Path = PROOFS,
    *,
    of_the_harness: bool = False,
) -> Path:
    """Write `<part>.json`: what `command` found; `title` heads its figures on the page.

    Figures of the harness itself hold for one epoch of it, which is kept with them.
    """
    proof = {
        "title": title,
        "command": command,
        "measured_utc": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "machine": machine(),
        "version": version(),
        **({"epoch": record.HARNESS_EPOCH} if of_the_harness else {}),
        "level": goals.LEVEL,
        "figures": [asdict(figure) for figure in figures],
    }
    path = folder / f"{part}.json"
    durable.write(path, json.dumps(proof, indent=2, ensure_ascii=False) + "\n")
    return path


def machine() -> str:
    """System, processor and cores, without personal data."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"


def version() -> str:
    """The commit that was run, with a mark when files differed from it."""
    return places.git("describe", "--always", "--dirty", project=PROJECT) or "unknown"
