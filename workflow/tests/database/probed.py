"""Reports of probes, as take-probe keeps them."""

import hashlib
import json


def keep(probes, build_of_macos: str, seen: dict[str, list[bool | None]], note: str = "") -> None:
    """A report that is kept: what was seen of each statement."""
    verdict = {True: "confirmed", False: "contradicted", None: "unknown"}

    def of(holds):
        return False if False in holds else None if None in holds else True

    document = {
        "probe_version": 1,
        "taken_utc": "2026-11-20T10:00:00Z",
        "took_seconds": 300,
        "diskbench": None,
        "stand_in": False,
        "os": {"version": "26.4", "build": build_of_macos},
        "host": {"model": "Mac16,11", "chip": note or None, "memory_bytes": None, "virtual": False},
        "passphrase": "diskbench",
        "written_bytes": 0,
        "calls": 1,
        "statements": [
            {
                "id": name,
                "verdict": verdict[of(holds)],
                "observations": [
                    {"done": f"try {number}", "expected": "so", "seen": f"seen {one}", "holds": one}
                    for number, one in enumerate(holds, start=1)
                ],
            }
            for name, holds in seen.items()
        ],
        "answers": [],
        "images": [],
        "series": [],
        "files": {},
    }
    text = json.dumps(document)
    folder = probes / f"26.4-{build_of_macos}" / hashlib.sha256(text.encode()).hexdigest()[:12]
    (folder / "captures").mkdir(parents=True)
    (folder / "probe.json").write_text(text, encoding="utf-8")
