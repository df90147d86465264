"""Transcripts of `diskbench image` on damaged images: run once, saved, shown on a page.

Pages do not run the core, so the output is saved. After a change of the core:

    PYTHONPATH=reports python -m lib.transcript core/target/release/diskbench

A test runs the scenes with the built core and compares the output.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from lib import project, show

FILE = project.REPORTS / "assets" / "repair.json"
# the allocated size depends on the file system
ALLOCATED = re.compile(r"(allocated:? +)\d+( -> \d+)? bytes( \([^)]*\))?")

# scenes run in one folder, in this order; `diskbench` is on the path
SCENES = {
    "whole": [
        # random bytes with APFS's signature at its usual offset
        "(head -c 32 /dev/urandom; printf NXSB; head -c 33554396 /dev/urandom) > disk.dmg",
        "diskbench image convert disk.dmg good.sparsebundle --to UDSB --progress none",
        "diskbench image convert disk.dmg good.sparseimage --to UDSP --progress none",
        "diskbench image convert disk.dmg good.asif --to ASIF --progress none",
        "diskbench image check good.sparsebundle",
        "diskbench image check good.sparseimage",
        "diskbench image check good.asif",
        "diskbench image info good.sparsebundle",
    ],
    "bundle-without-list": [
        "cp -R good.sparsebundle lost.sparsebundle",
        "rm lost.sparsebundle/Info.plist",
        "diskbench image check lost.sparsebundle",
        "diskbench image convert lost.sparsebundle saved.sparsebundle --to UDSB --progress none",
        "diskbench image check saved.sparsebundle",
    ],
    "bundle-with-strangers": [
        "cp -R good.sparsebundle odd.sparsebundle",
        "mv odd.sparsebundle/bands/1 odd.sparsebundle/bands/1.part",
        "diskbench image check odd.sparsebundle",
        "mv odd.sparsebundle/bands/1.part odd.sparsebundle/bands/1",
        "diskbench image check odd.sparsebundle",
    ],
    "bundle-without-band": [
        "cp -R good.sparsebundle hole.sparsebundle",
        "rm hole.sparsebundle/bands/1",
        "diskbench image check hole.sparsebundle",
    ],
    "image-cut-short": [
        "head -c 20000000 good.sparseimage > short.sparseimage",
        "diskbench image check short.sparseimage | head -n 3",
        "diskbench image convert short.sparseimage short.dmg --to UDRW --progress none",
        "diskbench image compact short.sparseimage",
    ],
    "asif-cut-short": [
        "head -c 20000000 good.asif > short.asif",
        "diskbench image check short.asif | head -n 3",
    ],
    "asif-without-mark": [
        "cp good.asif blank.asif",
        "printf 'XXXX' | dd of=blank.asif conv=notrunc 2> /dev/null",
        "diskbench image check blank.asif",
    ],
    "raw": [
        "cp disk.dmg changed.dmg",
        "printf 'damage' | dd of=changed.dmg bs=1 seek=1000000 conv=notrunc 2> /dev/null",
        "diskbench image check changed.dmg",
    ],
    "passphrase": [
        "printf 'right' | diskbench image convert disk.dmg secret.sparsebundle --to UDSB "
        "--encryption AES-256 --new-passphrase-stdin --progress none",
        "printf 'wrong' | diskbench image check secret.sparsebundle --passphrase-stdin",
        "printf 'right' | diskbench image check secret.sparsebundle --passphrase-stdin",
    ],
    "compact": [
        "cp -R good.sparsebundle used.sparsebundle",
        "dd if=/dev/zero of=used.sparsebundle/bands/2 bs=1048576 count=8 2> /dev/null",
        "diskbench image compact used.sparsebundle",
        "diskbench image check used.sparsebundle",
    ],
}


@dataclass(frozen=True)
class Answer:
    """A command line, its output on both streams, and the exit code."""

    command: str
    output: str
    code: int


def play(binary: Path) -> dict[str, list[Answer]]:
    """Run all scenes with this program, in a new folder."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "bin").mkdir()
        (Path(folder) / "bin" / "diskbench").symlink_to(binary.resolve())
        work = Path(folder) / "work"
        work.mkdir()
        return {name: list(_played(lines, work)) for name, lines in SCENES.items()}


def _played(lines: list[str], work: Path) -> Iterator[Answer]:
    path = f"{work.parent / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    for line in lines:
        # the exit code of the first program of the line, not of `head` after it
        script = f"set -o pipefail; {line}" if "| head" in line else line
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=work,
            env=os.environ | {"PATH": path, "LC_ALL": "C"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        yield Answer(line, done.stdout.rstrip(), done.returncode)


def written() -> dict[str, list[Answer]]:
    """The saved transcript."""
    scenes = json.loads(FILE.read_text(encoding="utf-8"))
    return {name: [Answer(**answer) for answer in answers] for name, answers in scenes.items()}


def compared(answer: Answer) -> Answer:
    """Text without values that depend on the disk."""
    return Answer(answer.command, ALLOCATED.sub(r"\1...", answer.output), answer.code)


def scene(name: str) -> show.Shown:
    """A scene as in a terminal; an exit code other than 0 is shown below the output."""
    lines = []
    for answer in written()[name]:
        lines.append(f"$ {answer.command}")
        lines += [answer.output] if answer.output else []
        lines += [f"(exit code {answer.code})"] if answer.code else []
    return show.text("```\n" + "\n".join(lines) + "\n```")


def main() -> None:
    """Run the scenes and save their output."""
    scenes = {
        name: [asdict(answer) for answer in answers]
        for name, answers in play(Path(sys.argv[1])).items()
    }
    FILE.write_text(json.dumps(scenes, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
