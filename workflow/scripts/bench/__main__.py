"""`python -m bench [ROUNDS] [FOLDER]`: prints the ratios; workflow/bench.sh calls it."""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from bench.contenders import bare_loop, fio, fio_is_here, harness
from bench.rounds import interleaved, table
from console import run, say
from study.machine import release_slug
from study.scales import SIZES_BYTES

MEMORY = Path("/dev/shm")

# One set of the study's sizes divided by 10, 533 MB: long enough to time, small enough for memory.
SIZE_DIVISOR = 10
BLOCK_BYTES = 1_048_576


def main() -> None:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(prog="bash workflow/bench.sh", description=__doc__)
    parser.add_argument("rounds", type=int, nargs="?", default=15)
    parser.add_argument("folder", type=Path, nargs="?", default=MEMORY if MEMORY.exists() else None)
    arguments = parser.parse_args()
    build = ["cargo", "build", "--release", "--locked", "--manifest-path", "core/Cargo.toml"]
    build += ["--target-dir", "core/target", "--bin", "diskbench", "--example", "bare_loop"]
    subprocess.run(build, check=True)
    release = Path("core/target/release")
    with tempfile.TemporaryDirectory(dir=arguments.folder) as temporary:
        folder = Path(temporary)
        description = _cell()
        cell = folder / "cell.json"
        cell.write_text(json.dumps(description), encoding="utf-8")
        contenders = [
            harness(release / "diskbench", cell, folder),
            bare_loop(release / "examples" / "bare_loop", cell, folder, stamped=True),
            bare_loop(release / "examples" / "bare_loop", cell, folder, stamped=False),
        ]
        if fio_is_here():
            contenders.append(fio(description, folder))
        else:
            say("fio is not installed: measured without it")
        results = interleaved(contenders, arguments.rounds)
        print(
            f"{arguments.rounds} interleaved rounds in {folder.parent}; median (lowest to highest)"
        )
        print("\n".join(table(results, [contender.name for contender in contenders])))


def _cell() -> dict[str, Any]:
    """One set written and read back by the native driver, as a cell."""
    steps = [{"step": step} for step in ("create", "write", "detach", "attach", "read")]
    return {
        "cell_version": 1,
        "host": "bench",
        "release": release_slug(),
        "protocol": "bench",
        "scale": "smoke",
        "storage": "memory",
        "driver": "native",
        "format": "native",
        "encryption": "none",
        "repeat": 1,
        "phase": "fresh",
        "seed": 1,
        "sets": 1,
        "sizes_bytes": [size // SIZE_DIVISOR for size in SIZES_BYTES],
        "nominal_bytes": 1_000_000_000,
        "io": {"block_bytes": BLOCK_BYTES, "cache": "none", "durability": "fsync"},
        "phases": [{"phase": "fresh", "steps": steps}],
    }


run(main)
