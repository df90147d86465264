"""The progress of every host on the coordinator's terminal: a line per change, and the plan."""

import sys
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from console import one_line, say
from record import shorten

PLAIN_WIDTH = 160


class State(StrEnum):
    """The state of a host."""

    AWAY = "away"
    PLANNING = "planning"
    MEASURING = "measuring"
    COLLECTING = "collecting"
    FINISHED = "finished"
    REFUSED = "refused"
    STOPPED = "stopped"
    NOT_ASKED = "not asked"
    PLANNED = "planned"


# final states
ENDED = {State.FINISHED, State.REFUSED, State.STOPPED, State.NOT_ASKED, State.PLANNED}


@dataclass
class Progress:
    """The progress of a host: its cells, their results, and its last line."""

    host: str
    state: State = State.AWAY
    line: str = "its worker did not connect"
    cells: list[str] = field(default_factory=list)
    due: int = 0
    filed: int = 0
    bytes_to_write: dict[str, int] = field(default_factory=dict)
    seconds: int = 0
    refused: list[str] = field(default_factory=list)

    @property
    def release(self) -> str:
        """The OS release in the paths of its records."""
        return self.cells[0].split("/")[1] if self.cells else ""


class Board:
    """Shows the progress of all hosts."""

    def __init__(self, hosts: list[str]):
        self.hosts = {host: Progress(host) for host in hosts}

    def set(self, host: str, state: State, line: str = "") -> None:
        """Set the state of a host, and print a change once."""
        progress = self.hosts[host]
        is_new = (progress.state, progress.line) != (state, line)
        progress.state, progress.line = state, line
        if is_new:
            self.tell(f"{host}: {state}{': ' if line else ''}{line}")

    def heard(self, host: str, line: str) -> None:
        """Process a line of the host's study."""
        progress = self.hosts.get(host)
        if progress is None:
            return
        progress.line = shorten(one_line(line))
        print(f"{host}: {one_line(line)}", file=sys.stderr, flush=True)

    def tell(self, line: str) -> None:
        """Print a line on the coordinator."""
        say(line)

    def show_plan(self) -> None:
        """Print the plan of each host on stderr."""
        console = Console(stderr=True)
        # a file or pipe has no width
        console.print(self.plan(), width=None if console.is_terminal else PLAIN_WIDTH)

    def plan(self) -> Group:
        """A row per host with cells, bytes for each disk, time and end; and the fleet's end."""
        now = datetime.now().astimezone()
        rows = []
        notes = []
        for one in self.hosts.values():
            if not one.cells:
                notes.append(one_line(f"{one.host}: {one.state}: {one.line}"))
                continue
            disks = [f"{size / 1e9:.2f} GB on {slug}" for slug, size in one.bytes_to_write.items()]
            rows.append(
                [
                    f"{one.host}\n  {one_line(one.release)}",
                    f"{one.due} of {len(one.cells)}",
                    _time(one.seconds),
                    _clock(now, one.seconds),
                    "\n".join(map(one_line, disks)) or "nothing",
                ]
            )
        names = ("host, release", "to measure", "time", "ends", "to write")
        table = _table(names, rows, right={"to measure", "time", "ends"})
        table.title = "the fleet's plan"
        longest = max(self.hosts.values(), key=lambda one: one.seconds)
        if longest.seconds:
            notes.append(
                f"hosts measure at the same time, so the fleet takes as long as {longest.host}: "
                f"about {_time(longest.seconds)}, until {_clock(now, longest.seconds)}"
            )
        table.title_justify = "left"
        return Group(table, *map(Text, notes))


def _table(names: tuple[str, ...], rows: list[list[str]], right: AbstractSet[str]) -> Table:
    """A table in which only the last column wraps on a narrow terminal."""
    table = Table(box=None, pad_edge=False)
    *first, last = names
    for number, name in enumerate(first):
        table.add_column(
            name,
            no_wrap=True,
            min_width=max(len(line) for row in (names, *rows) for line in row[number].split("\n")),
            justify="right" if name in right else "left",
        )
    table.add_column(last, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _time(seconds: int) -> str:
    if seconds < 120:
        return f"{seconds} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _clock(now: datetime, seconds: int) -> str:
    end = now + timedelta(seconds=seconds)
    return f"{end:%H:%M}" if end.date() == now.date() else f"{end:%a %H:%M}"
