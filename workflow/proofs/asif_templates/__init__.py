"""Blank ASIF images by Apple's tools: read, checked, and compared with ours.

Usage: bash workflow/prove.sh asif-templates CHECKOUT [--save]
  CHECKOUT   a clone of github.com/nicholas-lonsinger/kernova, with or without a work tree
  --save     keeps the figures in data/proofs/asif-templates.json

Kernova keeps 19 of them, compressed. Nothing of it is kept here but the facts in `templates.json`:
the commit, and the length and SHA-256 of each file. Each is unpacked, read and checked by our
reader and by dissect.hypervisor, and compared with a new image of ours of the same length.
"""

import hashlib
import json
import subprocess
import tempfile
from pathlib import Path

from console import ExitCode, StudyError
from proofs.support import core, goals, proof
from proofs.support.proof import Figure

FACTS = Path(__file__).with_name("templates.json")
# What differs from image to image: the header's UUID and the one in the metadata.
HEADER_UUID = range(0x20, 0x30)
STABLE_UUID = range(0x2002F4, 0x2002F4 + 36)


def main(words: list[str]) -> None:
    """Check every template; the first that is not as expected ends it."""
    parser = proof.arguments("asif-templates")
    parser.add_argument("checkout", type=Path)
    arguments = parser.parse_args(words)
    checkout = arguments.checkout
    facts = json.loads(FACTS.read_text(encoding="utf-8"))
    packed = [_packed(checkout, facts, fact) for fact in facts["templates"]]
    core.build()
    diskbench = (core.RELEASE / "diskbench").resolve()
    with tempfile.TemporaryDirectory() as temporary:
        for fact, content in zip(facts["templates"], packed, strict=True):
            line = check(diskbench, Path(temporary), fact, content)
            print(f"{fact['name']:30} {line}", flush=True)
    found = figures(len(packed), len(packed))
    proof.show(arguments, "asif-templates", "Apple's blank ASIF images", found)


def figures(templates: int, alike: int) -> list[Figure]:
    """Templates that were read, and those that a new image of ours matches."""
    return [
        Figure(
            "Apple's ASIF images, read by our core and by dissect.hypervisor", templates, "images"
        ),
        proof.counted(
            "our ASIF images, identical to Apple's except for the UUIDs",
            alike,
            "images",
            goals.at_least(templates, "all"),
        ),
    ]


def _packed(checkout: Path, facts: dict, fact: dict) -> bytes:
    """A file of the commit, of just the content that is known."""
    name = f"{facts['folder']}/{fact['name']}"
    shown = subprocess.run(
        ["git", "-C", checkout, "show", f"{facts['commit']}:{name}"],
        capture_output=True,
        check=False,
    )
    if shown.returncode:
        raise StudyError(
            ExitCode.BAD_INPUT,
            f"{checkout} has no {name} at commit {facts['commit']}:"
            f" clone {facts['repository']} whole and name the clone",
        )
    _same(name, "packed bytes", shown.stdout, fact["packed_bytes"], fact["packed_sha256"])
    return shown.stdout


def check(diskbench: Path, folder: Path, fact: dict, packed: bytes) -> str:
    """One template against what is known of it, our reader, another's, and our writer."""
    from dissect.hypervisor.disk.asif import ASIF
    from dissect.util.compression import lzfse

    name = fact["name"]
    content = lzfse.decompress(packed)
    _same(name, "bytes", content, fact["asif_bytes"], fact["asif_sha256"])
    image, ours = folder / "template.asif", folder / "ours.asif"
    image.write_bytes(content)
    _image(diskbench, "check", image)
    info = json.loads(_image(diskbench, "info", image, "--json"))
    found = {key: info[key] for key in ("format", "disk_bytes", "bands")}
    expected = {"format": "ASIF", "disk_bytes": fact["disk_bytes"], "bands": 0}
    _expect(name, "our reader", found, expected)
    with image.open("rb") as file:
        theirs = ASIF(file)
        sequences = [(place.offset, place.version) for place in reversed(theirs.directories)]
        _expect(name, "dissect's length", theirs.size, fact["disk_bytes"])
        _expect(name, "the directories", sequences, [(0x200, 0), (0x41400, 1)])
    ours.unlink(missing_ok=True)
    _image(diskbench, "create", ours, "--format", "ASIF", "--size", str(fact["disk_bytes"]))
    made = ours.read_bytes()
    _expect(name, "the length of ours", len(made), len(content))
    differs = {at for at, (a, b) in enumerate(zip(made, content, strict=True)) if a != b}
    others = sorted(differs - set(HEADER_UUID) - set(STABLE_UUID))
    _expect(name, "bytes of ours that differ", [hex(at) for at in others], [])
    return f"{fact['disk_bytes']:>14} bytes: read, and ours differs in the two UUIDs only"


def _image(diskbench: Path, *words: str | Path) -> str:
    return subprocess.run(
        [diskbench, "image", *words], capture_output=True, check=True, text=True
    ).stdout


def _same(name: str, what: str, content: bytes, size: int, sha256: str) -> None:
    found = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    _expect(name, what, found, {"size": size, "sha256": sha256})


def _expect(name: str, what: str, found: object, expected: object) -> None:
    if found != expected:
        raise StudyError(
            ExitCode.UNEXPECTED, f"{name}: {what} should be {expected}, but found: {found}"
        )
