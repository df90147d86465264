"""Reports of probes, as take-probe keeps them."""

import hashlib
import json
from dataclasses import asdict

from probe import report
from probe.bench import Observation


def keep(probes, build_of_macos: str, seen: dict[str, list[bool | None]], note: str = "") -> None:
    """A report that is kept: what was seen of each statement."""
    looks = {
        name: [Observation(f"try {number}", f"seen {one}", one) for number, one in enumerate(holds, start=1)]
        for name, holds in seen.items()
    }  # fmt: skip
    document = {
        "probe_version": report.VERSION,
        "taken_utc": "2026-11-20T10:00:00Z",
        "took_seconds": 300,
        "diskbench": None,
        "stand_in": False,
        "os": {"version": "26.4", "build": build_of_macos},
        "host": {"model": "Mac16,11", "chip": note or None, "memory_bytes": None, "virtual": False},
        "passphrase": "diskbench",
        "written_bytes": 0,
        "statements": [
            {"id": name, "verdict": report.verdict(of), "observations": [*map(asdict, of)]}
            for name, of in looks.items()
        ],
        "answers": [],
        "images": [],
        "series": [],
        "files": {},
    }
    text = json.dumps(document).encode()
    name = hashlib.sha256(text).hexdigest()[:12]
    report.write_folder(probes / f"26.4-{build_of_macos}" / name, text, {})
