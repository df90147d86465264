"""How much each study writes and reads, and the wear of a disk, for the manual's page `mac`.

Computed from the cells of a Mac's plan, so that the tables agree with the plan.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import yaml

from study.cells import Machine, plan_cells
from study.config import WORKFLOW, checked_study
from study.studies import ALL

STUDY = WORKFLOW / "config" / "study.yaml"

# GB/s; the articles' internal disks reach 5 to 8, their external one 3.2, slow ones 1
SPEEDS = (1, 3, 7)

# capacities of Macs' drives, in GB (decimal)
DRIVES = {"256 GB": 256, "512 GB": 512, "1 TB": 1000, "2 TB": 2000}

GIGABYTE = 1_000_000_000


@dataclass(frozen=True)
class Amount:
    """Totals of cells: number, bytes written and read, seconds of waiting."""

    cells: int = 0
    written: int = 0
    read: int = 0
    waited: int = 0

    def seconds(self, gbps: float) -> float:
        """The least time on a disk of this speed (GB/s), with waiting."""
        return (self.written + self.read) / (gbps * GIGABYTE) + self.waited

    def drives(self, gigabytes: int) -> float:
        """How often this would fill a drive of this size."""
        return self.written / (gigabytes * GIGABYTE)


def of_cells(cells: list[dict[str, Any]]) -> Amount:
    """The totals of these cells. A `read` reads the newest round back."""
    written = read = waited = 0
    for cell in cells:
        one_round = cell["sets"] * sum(cell["sizes_bytes"])
        [phase] = [phase for phase in cell["phases"] if phase["phase"] == cell["phase"]]
        kinds = [step["step"] for step in phase["steps"]]
        written += kinds.count("write") * one_round
        read += kinds.count("read") * one_round
        waited += sum(step.get("seconds", 0) for step in phase["steps"])
    return Amount(len(cells), written, read, waited)


def of_study(study: str, scale: str, guest: bool = False) -> Amount:
    """The totals of one repeat of a study on a Mac with all formats and FileVault on, or in a
    guest."""
    config = checked_study(_config() | {"study": study, "scale": scale, "repeats": 1})
    mac = Machine("a-mac", "macos-26.4-25E241", "FileVault", "apple", guest)
    cells = plan_cells(config, mac)
    # a guest's cells are skipped on the Mac itself, and wanted in a guest
    return of_cells([cell for cell in cells if (cell["format"] == "VM") == guest])


@cache
def _config() -> dict[str, Any]:
    return yaml.safe_load(STUDY.read_text(encoding="utf-8"))


def rows() -> Iterator[tuple[str, str, Amount]]:
    """Study, scale and totals of each line of the tables."""
    for scale in ("smoke", "tenth", "half", "gold"):
        yield ALL, scale, of_study(ALL, scale)
    for study in _config()["studies"]:
        yield study, "gold", of_study(study, "gold")
    yield "vm-2026, in each guest", "gold", of_study("vm-2026", "gold", guest=True)


def size(octets: int) -> str:
    """A size in decimal units."""
    gigabytes = octets / GIGABYTE
    if gigabytes >= 1000:
        return f"{gigabytes / 1000:.2f} TB"
    return f"{gigabytes:.0f} GB" if gigabytes >= 10 else f"{gigabytes:.1f} GB"


def duration(seconds: float) -> str:
    """A time, rounded up to whole minutes."""
    minutes = max(1, math.ceil(seconds / 60))
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min"


def times(number: float) -> str:
    """How often, to two significant figures or one decimal."""
    return f"{number:.1f}" if number >= 1 else f"{number:.2g}" if number >= 0.01 else "< 0.01"
