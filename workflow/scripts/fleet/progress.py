"""The progress of every host on the coordinator's terminal: a line per change, and the plan."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from console import echo, one_line, say
from record import shorten
from study.amounts import duration


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
    # cell -> reason
    refused: dict[str, str] = field(default_factory=dict)

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
        echo(f"{host}: {one_line(line)}")

    def tell(self, line: str) -> None:
        """Print a line on the coordinator."""
        say(line)

    def show_plan(self) -> None:
        """Print each host's cells, time, end, and bytes for each disk; and the fleet's end."""
        now = datetime.now().astimezone()
        self.tell("the fleet's plan:")
        for one in self.hosts.values():
            if not one.cells:
                self.tell(f"{one.host}: {one.state}: {one.line}")
                continue
            if not one.due:
                self.tell(f"{one.host}, {one.release}: 0 of {len(one.cells)} cells to measure")
                continue
            disks = [f"{size / 1e9:.2f} GB on {slug}" for slug, size in one.bytes_to_write.items()]
            self.tell(
                f"{one.host}, {one.release}: {one.due} of {len(one.cells)} cells to measure, about "
                f"{duration(one.seconds)}, until {_clock(now, one.seconds)}; "
                f"to write: {', '.join(disks) or 'nothing'}"
            )
        longest = max(self.hosts.values(), key=lambda one: one.seconds)
        if longest.seconds:
            self.tell(
                f"hosts measure at the same time, so the fleet takes as long as {longest.host}: "
                f"about {duration(longest.seconds)}, until {_clock(now, longest.seconds)}"
            )


def _clock(now: datetime, seconds: int) -> str:
    end = now + timedelta(seconds=seconds)
    return f"{end:%H:%M}" if end.date() == now.date() else f"{end:%a %H:%M}"
