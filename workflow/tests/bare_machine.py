"""A machine with a copy of the set-up scripts, and only basic programs."""

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
BASIC = ("bash", "cat", "cksum", "tr", "mkdir", "rm", "awk", "tail", "grep", "chmod")


# A Python that can make virtual environments. What it is asked and what it makes is in `calls`: the environment's own
# Python, whose pip brings uv, and that uv.
PYTHON = r"""
case "$1" in
  -c) exit 0 ;;
esac
echo "python $*" >>calls
make() { printf '#!/bin/sh\necho "%s $*" >>calls\n%s\n' "$1" "$3" >"$2/bin/$1"; chmod +x "$2/bin/$1"; }
mkdir -p "$4/bin"
make python "$4" ""
make uv "$4" ""
"""


class BareMachine:
    def __init__(self, folder: Path, tools: Iterable[str]):
        self.project = folder / "project"
        self.bin = folder / "bin"
        self.bin.mkdir()
        (self.project / "workflow").mkdir(parents=True)
        for name in (
            "workflow/setup.sh",
            "workflow/help.sh",
            "workflow/requirements.txt",
            "environment.yml",
        ):
            shutil.copy(PROJECT / name, self.project / name)
        for tool in (*BASIC, *tools):
            (self.bin / tool).symlink_to(shutil.which(tool))

    def has(self, tool: str, script: str = "exit 0") -> None:
        (self.bin / tool).write_text(f"#!/bin/sh\n{script}\n")
        (self.bin / tool).chmod(0o755)

    def has_made_venv(self) -> None:
        lock = (self.project / "workflow" / "requirements.txt").read_bytes()
        checksum = subprocess.run(["cksum"], input=lock, capture_output=True, check=True).stdout
        (self.project / ".venv" / "bin").mkdir(parents=True)
        (self.project / ".venv" / "made-from").write_bytes(checksum.replace(b" ", b""))
        (self.project / ".venv" / "bin" / "python").symlink_to("/bin/sh")

    def calls(self) -> list[str]:
        path = self.project / "calls"
        return path.read_text().splitlines() if path.exists() else []

    def set_up(
        self,
        show: str = "${PATH%%:*}",
        options: str = "-euo pipefail",
        **environment: str,
    ) -> subprocess.CompletedProcess:
        """Source setup.sh and print the first folder of PATH, or something else of the shell."""
        return subprocess.run(
            ["bash", "-c", f"set {options}; source workflow/setup.sh; echo {show}"],
            cwd=self.project,
            env={"PATH": str(self.bin), "HOME": str(self.project.parent)} | environment,
            capture_output=True,
            text=True,
        )

    def made(self, show: str = "${PATH%%:*}", **environment: str) -> str:
        """What a set-up that succeeds prints."""
        done = self.set_up(show, **environment)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def refusal(self, code: int = 2, **environment: str) -> str:
        """The one line of a set-up that is refused."""
        done = self.set_up(**environment)
        assert (done.returncode, done.stdout) == (code, "")
        (line,) = done.stderr.splitlines()
        return line
