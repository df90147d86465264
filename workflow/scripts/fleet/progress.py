"""What every host does, for the person on the coordinator: a table that lives in a terminal, lines
elsewhere."""

import sys
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from console import one_line, say
from record import shorten

PLAIN_WIDTH = 160


class State(StrEnum):
    """What a host does."""

    AWAY = "away"
    PLANNING = "planning"
    MEASURING = "measuring"
    COLLECTING = "collecting"
    FINISHED = "finished"
    REFUSED = "refused"
    STOPPED = "stopped"
    NOT_ASKED = "not asked"
    PLANNED = "planned"


# Nothing more will come of these by itself.
ENDED = {State.FINISHED, State.REFUSED, State.STOPPED, State.NOT_ASKED, State.PLANNED}


@dataclass
class Progress:
    """Of one host: its cells by what became of them, and what was heard last."""

    host: str
    state: State = State.AWAY
    line: str = "its worker did not connect"
    cells: list[str] = field(default_factory=list)
    due: int = 0
    measured: int = 0
    filed: int = 0
    bytes_to_write: dict[str, int] = field(default_factory=dict)
    seconds: int = 0
    refused: list[str] = field(default_factory=list)

    @property
    def release(self) -> str:
        """The OS release that it is measured under, as its records' paths have it."""
        return self.cells[0].split("/")[1] if self.cells else ""


class Board:
    """The progress of all hosts, shown."""

    def __init__(self, hosts: list[str], live: bool | None = None):
        self.hosts = {host: Progress(host) for host in hosts}
        self.console = Console(stderr=True)
        self.live = None
        self._wants_live = self.console.is_terminal if live is None else live

    def __enter__(self) -> "Board":
        if self._wants_live:
            self.live = Live(
                get_renderable=self.progress, console=self.console, refresh_per_second=2
            )
            self.live.__enter__()
        return self

    def __exit__(self, *details: object) -> None:
        if self.live:
            self.live.__exit__(*details)
            self.live = None

    def set(self, host: str, state: State, line: str = "") -> None:
        """A host does something else now; told once."""
        progress = self.hosts[host]
        is_new = (progress.state, progress.line) != (state, line)
        progress.state, progress.line = state, line
        if is_new:
            self.tell(f"{host}: {state}{': ' if line else ''}{line}")

    def heard(self, host: str, line: str) -> None:
        """A line of the study there."""
        progress = self.hosts.get(host)
        if progress is None:
            return
        progress.line = shorten(one_line(line))
        progress.measured += ": measured: " in line
        if not self.live:
            print(f"{host}: {one_line(line)}", file=sys.stderr, flush=True)

    def tell(self, line: str) -> None:
        """One line, above the table."""
        if self.live:
            self.console.print(Text(f"diskbench: {one_line(line)}"), soft_wrap=True)
        else:
            say(line)

    def show_plan(self) -> None:
        """What the study comes to on each host, on stderr."""
        # a file or a pipe has no width
        width = None if self.console.is_terminal else PLAIN_WIDTH
        self.console.print(self.plan(), width=width)

    def plan(self) -> Group:
        """Cells, bytes for each disk, time and end, a row a host; and the fleet's end."""
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
                f"hosts measure beside each other, so the fleet takes as long as {longest.host}: "
                f"about {_time(longest.seconds)}, until {_clock(now, longest.seconds)}"
            )
        table.title_justify = "left"
        return Group(table, *map(Text, notes))

    def progress(self) -> Table:
        """What each host does now, a row a host."""
        rows = [
            [
                one.host,
                one.state.value,
                f"{one.measured}/{one.due}",
                str(one.filed),
                one_line(one.line),
            ]
            for one in self.hosts.values()
        ]
        return _table(("host", "state", "measured", "filed", ""), rows, cut=True)


def _table(
    names: tuple[str, ...],
    rows: list[list[str]],
    right: AbstractSet[str] = frozenset(),
    cut: bool = False,
) -> Table:
    """A table whose last column alone gives way where a terminal is narrow: it is cut, or wraps."""
    table = Table(box=None, pad_edge=False, expand=cut)
    *first, last = names
    for number, name in enumerate(first):
        table.add_column(
            name,
            no_wrap=True,
            min_width=max(len(line) for row in (names, *rows) for line in row[number].split("\n")),
            justify="right" if name in right else "left",
        )
    if cut:
        table.add_column(last, no_wrap=True, overflow="ellipsis", ratio=1)
    else:
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
