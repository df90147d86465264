"""Where reports are kept: data/probes/<release>-<build>/<a word for its content>/."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from console import StudyError, say
from probe import report
from probe.taking_in.check import Report, checked

PROBES = Path("data/probes")


def file(taken: Report, into: Path = PROBES) -> Path | None:
    """Keep a report, whole or not at all; gives its folder, or None where it is there already."""
    folder = into / taken.release / taken.id
    if folder.exists():
        return None
    partial = into / f".{taken.id}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    (partial / report.CAPTURES).mkdir(parents=True)
    try:
        for name, content in taken.captures.items():
            (partial / name).write_bytes(content)
        (partial / report.FILE).write_bytes(taken.text)
        folder.parent.mkdir(exist_ok=True)
        partial.replace(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return folder


def kept(into: Path = PROBES, release: str = "*") -> Iterator[Report]:
    """The reports that are kept, of one release or of all; one that is damaged is named."""
    for document in sorted(into.glob(f"{release}/*/{report.FILE}")):
        try:
            yield checked(document.parent)
        except StudyError as error:
            say(error.line)
