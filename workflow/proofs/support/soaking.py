"""Studies that are disturbed again and again, and what is left of each."""

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from arguments import whole_number
from console import log_to
from proofs.support import proof


@dataclass(frozen=True)
class Disturbed:
    """One study: what was done to whom and how long after its begin or its step's, how many records
    were there then, and what was amiss in the end."""

    how: str
    victim: str
    after_seconds: float
    kept: int
    violations: list[str]


def asked(name: str, words: list[str], count: int) -> argparse.Namespace:
    """How many studies, and the seed of the moments."""
    parser = proof.arguments(name)
    parser.add_argument("count", nargs="?", type=whole_number, default=count)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    found = parser.parse_args(words)
    log_to(proof.PROJECT / ".diskbench" / "logs" / "soak.log")
    return found


def soak(
    asked: argparse.Namespace,
    part: str,
    title: str,
    studies: Iterable[Disturbed],
    figures: Callable[[list[Disturbed]], list[proof.Figure]],
) -> int:
    """A line for each study, then what they came to.

    The exit code is 1 when anything was amiss.
    """
    done = []
    for one in studies:
        done.append(one)
        print(line(len(done), one), flush=True)
    proof.show(asked, part, title, figures(done))
    return int(any(one.violations for one in done))


def line(number: int, one: Disturbed) -> str:
    """What became of one study."""
    found = "; ".join(one.violations) or "complete, nothing lost"
    return (
        f"{number:4}  {one.how:26}  {one.victim:12}  {one.after_seconds:6.2f} s  "
        f"{one.kept:2} records kept  {found}"
    )
