"""Reports: probe.json and a folder of captures, without personal data."""

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from places import commit
from probe.bench import PASSPHRASE, Bench, Observation
from probe.programs import Answer
from probe.statements import Statement, all_of_them

# version of the format of probe.json
VERSION = 1
FILE = "probe.json"
CAPTURES = "captures"
# limits in bytes of a capture, and of all together: answers, then pieces of images
MOST_KEPT = 1 << 20
MOST_KEPT_IN_ALL = 20_000_000

CONFIRMED, CONTRADICTED, UNKNOWN = VERDICTS = ("confirmed", "contradicted", "unknown")


@dataclass(frozen=True)
class Found:
    """A report: what probe.json says, and the captures by their names."""

    document: dict[str, Any]
    captures: dict[str, bytes]

    @property
    def name(self) -> str:
        """The name of its folder: release, build, and time."""
        at = self.document["taken_utc"].replace("-", "").replace(":", "")
        return f"{self.document['os']['version']}-{self.document['os']['build']}-{at}"


def of_probe(probe: str) -> list[str]:
    """The statements of a probe."""
    return [one.id for one in all_of_them().values() if one.probe == probe]


def found(bench: Bench, begun: datetime) -> Found:
    """The observations of a bench as a report."""
    captures: dict[str, bytes] = {}
    answers = [_answer(bench, one, captures) for one in bench.programs.answers]
    images = []
    for name, piece in bench.pieces.items():
        kept = _kept(bench, f"{name}.bin", piece, captures, is_text=False)
        images.append({"name": name, "bytes": len(piece)} | kept)
    mac = bench.mac
    document = {
        "probe_version": VERSION,
        "taken_utc": begun.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "took_seconds": round((datetime.now(UTC) - begun).total_seconds()),
        "diskbench": commit() or None,
        "stand_in": mac.stand_in,
        "os": {"version": mac.version, "build": mac.build},
        "host": {
            "model": mac.model,
            "chip": mac.chip,
            "memory_bytes": mac.memory_bytes,
            "virtual": mac.virtual,
        },
        "passphrase": PASSPHRASE.decode(),
        "written_bytes": bench.written_bytes,
        "statements": [
            _statement(bench, one) for one in all_of_them().values() if one.is_about(mac.release)
        ],
        "answers": answers,
        "images": images,
        "series": [one | {"failures": _failures(bench, one["failures"])} for one in bench.series],
        "files": {
            name: hashlib.sha256(told).hexdigest() for name, told in sorted(captures.items())
        },
    }
    return Found(_impersonal(bench, document), captures)


def verdict(observations: Iterable[Observation]) -> str:
    """The verdict: contradicted by one contradiction, unknown if something was not observed."""
    holds = [one.holds for one in observations]
    if False in holds:
        return CONTRADICTED
    return CONFIRMED if holds and None not in holds else UNKNOWN


def write(found: Found, into: Path) -> Path:
    """Write the folder of a report; returns its path."""
    folder = into / found.name
    text = json.dumps(found.document, indent=1, ensure_ascii=False) + "\n"
    write_folder(folder, text.encode("utf-8"), found.captures)
    return folder


def write_folder(folder: Path, text: bytes, captures: dict[str, bytes]) -> None:
    """Write probe.json and the captures into a new folder atomically."""
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    (partial / CAPTURES).mkdir(parents=True)
    try:
        for name, told in captures.items():
            (partial / name).write_bytes(told)
        (partial / FILE).write_bytes(text)
        partial.replace(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _statement(bench: Bench, statement: Statement) -> dict[str, Any]:
    seen = bench.observations.get(statement.id, [])
    if statement.without:
        seen = [Observation("nothing", statement.without, None)]
    return {
        "id": statement.id,
        "verdict": verdict(seen),
        "observations": [asdict(one) for one in seen],
    }


def _answer(bench: Bench, answer: Answer, captures: dict[str, bytes]) -> dict[str, Any]:
    clean = bench.cleaner
    told = {
        "name": answer.name,
        "program": answer.program,
        "arguments": [clean.text(word) for word in answer.arguments],
        "ended": clean.text(answer.ended),
        "code": answer.code,
        "elapsed_ms": answer.elapsed_ms,
    }
    for stream in ("stdout", "stderr"):
        said = clean.answer(answer.program, getattr(answer, stream))
        told[stream] = _kept(bench, f"{answer.name}.{stream}", said, captures, is_text=True)
    return told


def _kept(
    bench: Bench, name: str, told: bytes, captures: dict[str, bytes], is_text: bool
) -> dict[str, Any]:
    """Keep a capture, or note why not."""
    if not told:
        return {"file": None, "left_out": None}
    if what := bench.cleaner.personal(told, is_text):
        return {"file": None, "left_out": what}
    kept = sum(map(len, captures.values()))
    if len(told) > MOST_KEPT or kept + len(told) > MOST_KEPT_IN_ALL:
        return {"file": None, "left_out": "no room"}
    captures[f"{CAPTURES}/{name}"] = told
    return {"file": f"{CAPTURES}/{name}", "left_out": None}


def _failures(bench: Bench, failures: dict[str, int]) -> dict[str, int]:
    """Why tries failed, without texts that may identify the Mac or its user, and how many did."""
    found: Counter[str] = Counter()
    for why, times in failures.items():
        found[_impersonal(bench, why)] += times
    return dict(found)


def _impersonal(bench: Bench, value: Any) -> Any:
    """The same without texts that may identify the Mac or its user."""
    if isinstance(value, dict):
        return {
            key: one if key in ("files", "id") else _impersonal(bench, one)
            for key, one in value.items()
        }
    if isinstance(value, list):
        return [_impersonal(bench, one) for one in value]
    if isinstance(value, str) and (what := bench.cleaner.personal(value.encode(), True)):
        return f"(left out: {what})"
    return value
