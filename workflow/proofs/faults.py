"""System calls of a run fail, transfer less than requested, or are slow, one at a time; for Linux.

Usage: bash workflow/prove.sh faults [IMAGE ...] [--save]
  IMAGE    native, or a format of images, such as UDRW or UDRW-AES-256 (all)
  --save   keeps the figures in data/proofs/faults.json
Exit codes: 0 nothing found, 1 something found, else those of run.sh.

A small cell of each kind of image is measured again and again, each time with another call that
fails. Each time the exit code must be a documented one, the record must be complete or absent, and
a second run must complete. The loop and its checks are the core's own test `faults`.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from console import ExitCode, StudyError, say
from proofs.support import core, goals, proof
from proofs.support.proof import Figure
from study.config import IMAGE_FORMATS

IMAGES = ("native", *IMAGE_FORMATS)
ENCRYPTED = tuple(f"{image}-AES-256" for image in IMAGE_FORMATS)
# The profile for development: its checks of overflow and its assertions find more.
CARGO = ("--locked", "--manifest-path", "core/Cargo.toml")


def main(words: list[str]) -> None:
    """Build, loop, print, keep."""
    parser = proof.arguments("faults")
    parser.add_argument("images", nargs="*", metavar="IMAGE")
    arguments = parser.parse_args(words)
    unknown = set(arguments.images) - {*IMAGES, *ENCRYPTED}
    if unknown:
        known = " ".join([*IMAGES, *ENCRYPTED])
        line = f"{unknown.pop()} is no kind of image: give one of {known}"
        raise StudyError(ExitCode.BAD_INPUT, line)
    if sys.platform != "linux":
        say("faults are made by a library for Linux: nothing to do on this system")
        return
    with tempfile.TemporaryDirectory() as folder:
        found, failed = loop(arguments.images, Path(folder) / "figures.json")
    title = "System calls that fail, transfer less than requested, or are slow"
    proof.show(arguments, "faults", title, figures(found))
    if failed:
        sys.exit(1)


def loop(images: list[str], path: Path) -> tuple[list[dict[str, Any]], bool]:
    """The result of the core's test for each kind of image, and whether it found anything."""
    subprocess.run(["cargo", "build", *CARGO, "--package", "doubles", "--examples"], check=True)
    environment = os.environ | {
        "DISKBENCH_FAULTS_IMAGES": " ".join(images),
        "DISKBENCH_FAULTS_FIGURES": str(path),
    }
    if core.MEMORY:
        environment["DISKBENCH_FAULTS_FOLDER"] = str(core.MEMORY)
    words = [
        "cargo",
        "test",
        *CARGO,
        "--test",
        "program",
        "faults::",
        "--",
        "--ignored",
        "--nocapture",
    ]
    ended = subprocess.run(words, env=environment, check=False)
    if not path.exists():
        raise StudyError(ExitCode.UNEXPECTED, "the loop did not come to its end: see above")
    return json.loads(path.read_text(encoding="utf-8")), ended.returncode != 0


def figures(found: list[dict[str, Any]]) -> list[Figure]:
    """Faults injected for each kind of image, and errors found in all."""
    made = [Figure(f"{of['image']}: faults injected", of["made"], "faults") for of in found]
    total = sum(of["findings"] for of in found)
    return [*made, proof.counted("errors found in all of them", total, "", goals.NONE)]
