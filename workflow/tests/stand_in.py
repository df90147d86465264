"""A simulated Mac: stand-ins for its programs, a disk beside them, and the real core.

Every cell of every study runs on it, on any machine. Its figures mean nothing: files are smaller
than those of the study, and the volumes of its images are plain folders.
"""

import hashlib
import json
import os
import re
import subprocess
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import yaml

from probe.mac import OLDEST
from proofs.support.waiting import PATIENCE_SECONDS
from record import cell_id
from study.cells import plan_cells
from study.config import checked_study
from study.machine import STAND_IN
from study.planning import machine_here

PROJECT = Path(__file__).resolve().parents[2]
STUDY = PROJECT / "workflow" / "config" / "study.yaml"
IMITATED = PROJECT / "core/doubles/examples/stand_in/release.rs"

# what it imitates of the releases of the study, the oldest first
RELEASES = tuple(
    release
    for release in re.findall(r'\("(\d+)[\d.]*", "\w+"\),', IMITATED.read_text(encoding="utf-8"))
    if int(release) >= OLDEST
)

# divisor of the files of scale smoke: programs are tested, not the disk
SIZE_DIVISOR = 20

# time limit of each program in seconds while some of them hang; the others need milliseconds
HANGING_SECONDS = 4


@dataclass
class StandInMac:
    """One machine: programs, what is attached, a folder to work in, and records.

    target: the folder of cargo's profile, with `diskbench` and `examples/stand_in`. macos: its
    release. options: more words for `stand_in install`.
    """

    folder: Path
    target: Path
    macos: str
    options: list[str] = field(default_factory=list)
    _runs: int = field(default=0, init=False)
    _hanging: set[str] = field(default_factory=set, init=False)

    def __post_init__(self):
        for folder in (self.work, self.folder / "tmp"):
            folder.mkdir(parents=True)
        self.stand_in("install", "--macos", self.macos, *self.options)

    @property
    def programs(self) -> Path:
        return self.folder / "programs"

    @property
    def work(self) -> Path:
        return self.folder / "work"

    def environment(self) -> dict[str, str]:
        """Our environment with the stand-in, and a temporary folder, and so a lock, of its own."""
        ours = {STAND_IN: str(self.programs), "TMPDIR": str(self.folder / "tmp")}
        if self._hanging:
            ours["DISKBENCH_STAND_IN_SECONDS"] = str(HANGING_SECONDS)
        return os.environ | ours

    def stand_in(self, verb: str, *words: str) -> str:
        """One of the stand-in's own commands: install, order, attached, ..."""
        command = [self.target / "examples" / "stand_in", verb, self.programs, *words]
        return subprocess.run(
            command, env=self.environment(), check=True, capture_output=True, text=True
        ).stdout

    def attached(self) -> list[Path]:
        """The images that are attached, ours and others'."""
        lines = self.stand_in("attached").splitlines()
        return [Path(json.loads(line)["image"]) for line in lines]

    def order(self, misbehaviour: str, times: int) -> None:
        """Tell the programs what to do wrong, and how often; 0 takes it back."""
        self.stand_in("order", *misbehaviour.split(), str(times))
        if misbehaviour.startswith("hang "):
            (self._hanging.add if times else self._hanging.discard)(misbehaviour)

    def foreign_image(self, path: Path) -> Path:
        """Somebody else's image, attached."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.stand_in("attach-foreign", str(path))
        return path

    def restart(self) -> None:
        """Start it anew: nothing is attached afterwards."""
        self.stand_in("reboot")

    def calls(self) -> int:
        """How often a program was called so far."""
        return (self.programs / "state" / "calls.jsonl").read_bytes().count(b"\n")

    def still_running(self, programs_only: bool = False) -> list[int]:
        """Processes of this machine that have not ended; on systems without /proc none is seen."""
        mark = str(self.programs if programs_only else self.folder).encode()
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                words = (process / "cmdline").read_bytes()
                if words.startswith(mark) or (not programs_only and mark in words):
                    found.append(int(process.name))
        return found

    def plan(self, study: str = "all", **changes: Any) -> list[dict[str, Any]]:
        """The cells of a study on this machine, in order, with small files and no waiting."""
        config = yaml.safe_load(STUDY.read_text(encoding="utf-8"))
        config = checked_study(config | {"study": study} | changes)
        with patch.dict(os.environ, self.environment()):
            cells = plan_cells(config, machine_here(config))
        return [_small(cell) for cell in cells]

    def record_path(self, cell: dict[str, Any]) -> Path:
        return self.folder / "runs" / f"{cell_id(cell)}.json"

    def record(self, cell: dict[str, Any]) -> dict[str, Any]:
        return json.loads(self.record_path(cell).read_text(encoding="utf-8"))

    def run(self, cell: dict[str, Any], *options: str) -> subprocess.CompletedProcess:
        """`diskbench run` on a cell. Raises TimeoutExpired when it hangs."""
        return self.call(*self._command(cell, *options))

    def begin(self, cell: dict[str, Any], **changes: str) -> subprocess.Popen:
        """The same, under way, in a session of its own; changes: of the environment."""
        return subprocess.Popen(
            self._command(cell),
            env=self.environment() | changes,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def _command(self, cell: dict[str, Any], *options: str) -> list:
        # one for each call: two may be under way
        self._runs += 1
        description = self.folder / f"cell-{self._runs}.json"
        description.write_text(json.dumps(cell), encoding="utf-8")
        command = [self.target / "diskbench", "run", "--progress", "none", *options]
        command += ["--cell", description, "--folder", self.work]
        command += ["--record", self.record_path(cell), "--log", self.folder / "core.log"]
        return command

    def sweep(self) -> subprocess.CompletedProcess:
        return self.call(self.target / "diskbench", "sweep", "--folder", self.work)

    def verify(self) -> subprocess.CompletedProcess:
        return self.call(self.target / "diskbench", "verify", self.folder / "runs")

    def call(self, *command: str | Path) -> subprocess.CompletedProcess:
        """Any program on this Mac. Raises TimeoutExpired when it hangs."""
        return subprocess.run(
            command,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
        )

    def left_over(self) -> list[str]:
        """What lies in the folder to work in."""
        return sorted(path.name for path in self.work.iterdir())


def digest(path: Path) -> str:
    """What a file, or everything in a folder, holds."""
    files = [path] if path.is_file() else sorted(one for one in path.rglob("*") if one.is_file())
    found = hashlib.sha256()
    for file in files:
        found.update(str(file.relative_to(path.parent)).encode() + b"\0" + file.read_bytes())
    return found.hexdigest()


def _small(cell: dict[str, Any]) -> dict[str, Any]:
    sizes = [max(4096, size // SIZE_DIVISOR) for size in cell["sizes_bytes"]]
    phases = [
        {
            "phase": phase["phase"],
            "steps": [
                step | {"seconds": 0} if "seconds" in step else step for step in phase["steps"]
            ],
        }
        for phase in cell["phases"]
    ]
    return cell | {"sizes_bytes": sizes, "phases": phases}
