"""What a run found out about this project itself, kept so that the page of methods can show it.

A file of `data/proofs` holds the figures of one part with the day, the machine and the version that
they were found with. It is written by the run alone, and whole: the newest run of a part stands.
"""

import json
import os
import platform
import subprocess
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]
PROOFS = PROJECT / "data" / "proofs"


@dataclass(frozen=True)
class Figure:
    """One figure: what it is of, its value in `unit` (none for a ratio), its spread over rounds.

    `goal` is in words ("93 to 97 %") and `reached` says whether it is; both are None without one.
    """

    what: str
    value: float
    unit: str = ""
    low: float | None = None
    high: float | None = None
    goal: str | None = None
    reached: bool | None = None


def save(
    part: str, title: str, command: str, figures: Iterable[Figure], folder: Path = PROOFS
) -> Path:
    """Write `<part>.json`: what `command` found; `title` heads its figures on the page."""
    proof = {
        "title": title,
        "command": command,
        "measured_utc": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "machine": machine(),
        "version": version(),
        "figures": [asdict(figure) for figure in figures],
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{part}.json"
    beside = path.with_suffix(".tmp")
    beside.write_text(json.dumps(proof, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    beside.replace(path)
    return path


def machine() -> str:
    """System, processor and cores; nothing that tells whose machine it is."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"


def version() -> str:
    """The commit that was run, with a mark when files differed from it."""
    told = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    return told.stdout.strip() or "unknown"
