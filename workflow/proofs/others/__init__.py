"""Bundles and sparse images against programs by others: one that reads, one that writes.

Usage: bash workflow/prove.sh others SPARSEBUNDLEFS FSDUMP [--save]
  SPARSEBUNDLEFS   a clone of github.com/torarnv/sparsebundlefs, with or without a work tree
  FSDUMP           a clone of github.com/sgan81/fsdump, likewise
  --save           keeps the figures in data/proofs/others.json
Exit codes: 0 all are alike, 1 something differs or does not compile, 2 bad input: a clone without
the commit, or no compiler or FUSE here.

sparsebundlefs mounts sparse bundles (UDSB) that our core made. Our core checks and converts sparse
images (UDSP) that fsdump's class AppleSparseimage wrote, with up to four nodes of the index. The
content is made in Python and compared byte by byte. Both programs are compiled in a temporary
folder, at the commits in `repositories.json`; nothing of them is kept here. For Linux.

Encrypted bundles are left out: sparsebundlefs does not read them.
"""

import tempfile
from pathlib import Path

from console import ExitCode, StudyError
from proofs.others import bundles, images, programs
from proofs.support import core, goals, proof
from proofs.support.proof import Figure

# What differs on each disk that was tried, or None.
Outcomes = list[str | None]


def main(words: list[str]) -> None:
    """Compile, compare, print, keep."""
    parser = proof.arguments("others")
    for name in ("sparsebundlefs", "fsdump"):
        parser.add_argument(name, type=Path, metavar=name.upper())
    arguments = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
        sources = {
            name: programs.unpack(checkout, name, folder / name)
            for name, checkout in (
                ("sparsebundlefs", arguments.sparsebundlefs),
                ("fsdump", arguments.fsdump),
            )
        }
        programs.require()
        reader = programs.sparsebundlefs(sources["sparsebundlefs"])
        writer = programs.fsdump(sources["fsdump"])
        bundles.try_mount(reader, folder)
        core.build()
        diskbench = (core.RELEASE / "diskbench").resolve()
        read = bundles.compare(diskbench, reader, folder)
        written = images.compare(diskbench, writer, folder)
    title = "Our sparse bundles and sparse images compared with other programs"
    proof.show(arguments, "others", title, figures(read, written))
    differ = sum(outcome is not None for outcome in [*read, *written])
    if differ:
        line = f"{differ} of {len(read) + len(written)} disks differ: the lines above name them"
        raise StudyError(ExitCode.UNEXPECTED, line)


def figures(read: Outcomes, written: Outcomes) -> list[Figure]:
    """Disks compared and alike, for the reader and for the writer."""
    return [
        *_counted("our UDSB images, read by sparsebundlefs and by our core", "bundles", read),
        *_counted("UDSP images by fsdump, read by our core", "images", written),
    ]


def _counted(what: str, unit: str, outcomes: Outcomes) -> list[Figure]:
    alike = outcomes.count(None)
    return [
        Figure(f"{what}: compared", len(outcomes), unit),
        proof.counted(f"{what}: identical", alike, unit, goals.at_least(len(outcomes), "all")),
    ]
