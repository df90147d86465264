"""Compares the speeds of two hosts, releases or folders of records, cell by cell.

Usage: bash workflow/run.sh compare A B [--csv]
A and B are each one of
  HOST            mac-mini-m4-pro: a folder of data/runs, its newest release
  HOST/RELEASE    mac-mini-m4-pro/26.4, mac-mini-m4-pro/"27.0 beta", or with the name of the
                  release's folder
  RELEASE         26.4: every host that was measured under it, each compared with itself
  FOLDER          a folder of records, laid out as data/runs, or a copy of it from before a change
Option
  --csv           prints the columns of the table release_change
Ratio, interval, p and verdict are those of the table release_change, with B as the later release:
"faster" or "slower" needs three repeats, p below 0.05, and the whole interval beyond 10 %, also in
proportion to the disk itself.
Changes nothing.
Exit codes: 0 done, 2 bad input or nothing to compare, 6 no record of a side can be read.
"""

import shutil
import sys

from arguments import Parser
from compare import shown, sides
from compare.pairs import Comparison, compare
from console import ExitCode, StudyError, show
from database.load import Input
from places import CORE, PUBLISHED, SCHEMA, SQL
from probe.taking_in.filing import PROBES

# without a terminal, for example into a file
UNLIMITED = 1000


def main(words: list[str] | None = None) -> int:
    """Print the comparison."""
    parser = Parser(prog="bash workflow/run.sh compare")
    parser.add_argument("a", metavar="A")
    parser.add_argument("b", metavar="B")
    parser.add_argument("--csv", action="store_true")
    asked = parser.parse_args(words)
    a = sides.find(asked.a)
    b = sides.find(asked.b)
    given = Input(sides.RUNS, PUBLISHED, SQL, SCHEMA, PROBES, CORE)
    found = compare(a, b, given)
    if not found.rows:
        raise StudyError(
            ExitCode.BAD_INPUT, f"{a.word} and {b.word} have no cell in common{_why(found)}"
        )
    if asked.csv:
        show(shown.comma_separated(found), end="")
    else:
        show(_text(found, a, b))
    return ExitCode.DONE


def _text(found: Comparison, a: sides.Side, b: sides.Side) -> str:
    at_terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if at_terminal else UNLIMITED
    ascii_only = not (sys.stdout.encoding or "").lower().startswith("utf")
    return shown.terminal(found, a, b, width, shown.is_coloured(), ascii_only)


def _why(found: Comparison) -> str:
    alone = [
        f"{shown.cells(number)} of {name}: {why}"
        for name, side in zip("AB", found.alone, strict=True)
        for why, number in side.items()
    ]
    return f" ({'; '.join(alone)})" if alone else ""
